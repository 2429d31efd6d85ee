#include "export/exported_machine.hpp"

#include "core/error.hpp"
#include "ensemble/parameter.hpp"
#include "export/value_bytes.hpp"
#include "model/paths.hpp"
#include "run/sampled_variable.hpp"
#include "signal/shapes.hpp"

#include <algorithm>
#include <cstdio>

namespace stickslip {

namespace {

constexpr std::string_view file_kind = "stickslip machine";
constexpr int file_format = 2; // goes on where older programs would misread a file

template <class Names> std::string listed(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

// use(signal) for every signal of a description.
template <class T, class Use> void each_signal(T& value, Use&& use) {
  using V = std::remove_const_t<T>;
  if constexpr (std::is_same_v<V, Signal>) {
    use(value);
  } else if constexpr (Described<V>) {
    each_field(value, [&](const auto&, auto& member) { each_signal(member, use); });
  } else if constexpr (std::is_same_v<V, List<Source>>) {
    for (const Source& source : value) each_signal(source, use);
  }
}

// Turns a constant signal into an input that keeps its value until it is set.
void open_signal(Machine& machine, const std::string& name, const System& sys,
                 const std::set<std::string>& known) {
  if (std::find(sys.states.begin(), sys.states.end(), name) != sys.states.end())
    reject("inputs", "holds '" + name +
                         "', a state: only forces, references and other signals are inputs; an initial "
                         "value belongs to parameters");
  List<std::string> open;
  for (const Path& path : paths(machine)) {
    if (path.signal == nullptr || !path.signal->input.empty()) continue;
    open.push_back(path.name);
    if (path.name != name) continue;
    if (!is_constant(*path.signal))
      reject("inputs", "holds '" + name + "', a signal that is not constant: give it as a stickslip.Input");
    *path.signal = input_signal(name, value(*path.signal, 0.0));
    return;
  }
  throw UnknownName("unknown input '" + name + "' in inputs; known are: inputs " + listed(known) +
                    ", constant signals " + listed(open));
}

bool is_integer(Read from) {
  return from == Read::mode || from == Read::contact_mode || from == Read::spring_mode ||
         from == Read::saturation;
}

void no_name_twice(const ExportedMachine& exported) {
  std::set<std::string> seen;
  const auto add = [&](const char* list, const std::string& name) {
    if (!seen.insert(name).second) reject(list, "holds '" + name + "' twice, or it is an input as well");
  };
  for (const ExportedInput& one : exported.inputs) add("inputs", one.name);
  for (const StartValue& one : exported.parameters) add("parameters", one.name);
  seen.clear();
  for (const ExportedOutput& one : exported.outputs) add("outputs", one.name);
}

void find_start_values(ExportedMachine& exported) {
  const System sys = compile(exported.machine, true);
  Machine copy = exported.machine;
  const List<Path> known = paths(copy);
  // A dead time needs the motion before, which belongs to the machine before.
  const bool delayed =
      std::any_of(sys.friction.begin(), sys.friction.end(), [](const Friction& f) { return f.delayed >= 0; });
  for (StartValue& one : exported.parameters) {
    for (const Path& path : known)
      if (path.name == one.name && path.signal != nullptr && !path.signal->input.empty())
        reject("parameters", "holds '" + one.name + "', which is the input '" + path.signal->input + "'");
    const Parameter found = find_parameter(exported.machine, sys, one.name);
    one.tunable = found.state < 0 && !delayed;
    one.value = found.state < 0 ? Handle(found, copy).value() : exported.initial(found.state);
    if (std::isnan(one.value))
      reject("parameters",
             "holds '" + one.name + "', which constraints determine: give it a value in initial");
  }
}

} // namespace

std::set<std::string> input_names(const Machine& machine) {
  std::set<std::string> names;
  for (const Element& element : machine.elements)
    std::visit(
        [&](const auto& one) {
          each_signal(one, [&](const Signal& s) {
            if (!s.input.empty()) names.insert(s.input);
          });
        },
        element);
  return names;
}

ExportedMachine with_inputs(ExportedMachine exported) {
  no_name_twice(exported);
  const System sys = compile(exported.machine);
  const std::set<std::string> known = input_names(exported.machine);
  for (const ExportedInput& one : exported.inputs)
    if (!known.contains(one.name)) open_signal(exported.machine, one.name, sys, known);
  for (const Path& path : paths(exported.machine))
    for (ExportedInput& one : exported.inputs)
      if (path.signal != nullptr && path.signal->input == one.name && one.path.empty())
        one.path = path.name, one.value = path.signal->input_default;
  exported.machine.check_again();
  const System open = compile(exported.machine);
  for (ExportedOutput& one : exported.outputs) one.integer = is_integer(find_output(open, one.name).from);
  find_start_values(exported);
  return exported;
}

const Variable& find_output(const System& sys, const std::string& name) {
  const Variable& v = find_variable(sys, name, " in outputs");
  if (v.from == Read::constraint_impulse)
    reject("outputs", "holds '" + name + "', which is only known after a run: read it from simulate");
  return v;
}

std::string to_bytes(const ExportedMachine& exported) {
  ByteWriter payload;
  ValueWriter write{payload, {}};
  payload.array(8);
  const Machine& m = exported.machine;
  write(m.plant), write(m.elements), write(m.scales);
  write(exported.initial), write(exported.inputs), write(exported.parameters), write(exported.outputs);
  write(std::array{exported.rtol, exported.max_step});
  return to_file(file_kind, file_format, payload.out);
}

std::string token_of(std::string_view file) {
  char digits[20];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(checksum(file)));
  return digits;
}

ExportedMachine exported_machine(std::string_view bytes) {
  const std::string_view payload = values_of_file(bytes, file_kind, file_format);
  ByteReader from(payload);
  ValueReader read{from};
  from.array(8);
  AnyPlant plant;
  List<Element> elements;
  read(plant), read(elements);
  ExportedMachine out{Machine(std::move(plant)), {}, {}, {}, {}};
  for (Element& element : elements) out.machine.add(std::move(element));
  read(out.machine.scales);
  read(out.initial), read(out.inputs), read(out.parameters), read(out.outputs);
  std::array<double, 2> settings{};
  read(settings);
  out.rtol = settings[0], out.max_step = settings[1];
  return out;
}

} // namespace stickslip
