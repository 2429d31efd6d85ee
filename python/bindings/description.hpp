// A machine in the hands of Python: views share it, and what is compiled from it is made once.
#pragma once

#include "dynamics/compiled.hpp"
#include "model/machine.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace stickslip::bindings {

struct Description {
  explicit Description(Machine m) : machine(std::move(m)) {}

  Machine machine;
  bool shared =
      false; // copied or compiled, so that a run may keep it: who adds to it has to take a copy first

  const std::shared_ptr<Compiled>& compile() {
    if (!compiled) {
      shared = true; // first: functions of the user's that are called meanwhile may add to their machine
      auto fresh = std::make_shared<Compiled>();
      fresh->system = stickslip::compile(machine);
      compiled = std::move(fresh);
    }
    return compiled;
  }

  void add(Element element) {
    if (shared) throw std::logic_error("cannot add to a shared description");
    machine.add(std::move(element));
    compiled.reset();
  }

  void set_scales(const std::map<std::string, double>& given) {
    if (shared) throw std::logic_error("cannot add to a shared description");
    machine.scales.parts.clear();
    for (const auto& [name, size] : given) machine.scales.parts.push_back({name, size});
    compiled.reset();
  }

private:
  std::shared_ptr<Compiled> compiled;
};

} // namespace stickslip::bindings
