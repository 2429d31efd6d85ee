// Normal loads that follow forces of the machine: linear forms over state and signals, and polylines over these.
#include "core/error.hpp"
#include "core/list.hpp"
#include "model/draft.hpp"
#include "model/output_form.hpp"
#include "model/polyline.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// A table is constant beyond its ends; in a periodic table these segments are left as soon as they are entered.
Polyline load_line(const FrictionElement& f) {
  const Index n = f.load_at.size();
  Polyline line = polyline_through(f.load_at, f.load_there);
  line.corners.insert(line.corners.begin(), f.load_at[0]);
  line.corners.push_back(f.load_at[n - 1]);
  line.stretches.insert(line.stretches.begin(), {0.0, f.load_there[0]});
  line.stretches.push_back({0.0, f.load_there[n - 1]});
  return line;
}

void add_load(const System& sys, Friction& p, const Form& form, const Polyline& line) {
  for (const Stretch& s : line.stretches) {
    p.load_parts.push_back({s.slope * form.x, s.slope * form.s});
    if (s.offset != 0.0) p.load_parts.back().s(sys.one) += s.offset;
  }
  for (const double corner : line.corners) {
    p.load_corners.push_back(form);
    if (corner != 0.0) p.load_corners.back().s(sys.one) -= corner;
  }
}

// Sum of the flanks of a spring over its elongation, none of which has a damper.
Polyline force_line(const System& sys, const Spring& spring) {
  List<double> corners;
  const auto flank = [&](Index k) -> const Flank& { return sys.flanks[spring.flanks + k]; };
  for (Index k = 0; k < spring.count; ++k)
    corners.insert(corners.end(), flank(k).line.corners.begin(), flank(k).line.corners.end());
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  Polyline line;
  line.corners = corners;
  for (Index i = 0; i <= corners.size(); ++i) {
    Stretch sum;
    for (Index k = 0; k < spring.count; ++k) { // beyond the last corner: above it
      const Flank& f = flank(k);
      const Index at = i < corners.size() ? f.line.stretch_at(corners[i]) : f.line.corners.size();
      if (!f.pushes(at)) continue;
      sum.slope += f.line.stretches[at].slope;
      sum.offset += f.line.stretches[at].offset;
    }
    line.stretches.push_back(sum);
  }
  return line;
}

// Magnitude, times a factor.
Polyline magnitude(Polyline line, double factor) {
  split_at_zeros(line);
  const Index last = line.corners.size();
  for (Index k = 0; k <= last; ++k) {
    const double inside = last == 0   ? 0.0
                          : k == 0    ? line.corners[0] - 1.0
                          : k == last ? line.corners[last - 1] + 1.0
                                      : 0.5 * (line.corners[k - 1] + line.corners[k]);
    const double sign = line.value(k, inside) < 0.0 ? -factor : factor;
    line.stretches[k] = {sign * line.stretches[k].slope, sign * line.stretches[k].offset};
  }
  return line;
}

class Loads {
public:
  explicit Loads(Draft& draft) : d(draft), sys(draft.sys) {}

  // Without load_factor, a table or a magnitude the load force is only checked.
  void wire(const FrictionElement& f, Friction& p) {
    if (f.load.empty() || !f.load_across.empty() || p.load_contact >= 0 || p.contact >= 0) return;
    what = "load of '" + f.name + "'";
    const double factor = f.load_magnitude ? 1.0 : p.load_per_force;
    if (const Spring* const spring = bent_spring(f)) {
      if (factor == 0.0) refuse_bent(*spring);
      Polyline line = force_line(sys, *spring);
      return add_load(sys, p, spring->elongation,
                      magnitude(std::move(line), factor * std::abs(f.load.parts.front().factor)));
    }
    Form form{Vector::Zero(sys.nx), Vector::Zero(sys.ns())};
    for (const Part& part : f.load.parts) {
      const Form one = form_of(part.name);
      form.x += part.factor * one.x, form.s += part.factor * one.s;
    }
    if (p.load_shift >= 0) form.x(p.load_shift) = -1.0;
    if (!f.load_at.empty())
      add_load(sys, p, form, load_line(f));
    else if (factor != 0.0)
      add_load(sys, p, form, {{0.0}, {{-factor, 0.0}, {factor, 0.0}}});
  }

private:
  Draft& d;
  const System& sys;
  std::string what;
  OutputForms outputs{sys};

  const Spring* spring_of(const std::string& name) const {
    if (!name.ends_with(".force")) return nullptr;
    const auto at = std::ranges::find(sys.springs, name.substr(0, name.size() - 6), &Spring::name);
    return at == sys.springs.end() ? nullptr : &*at;
  }

  bool is_bent(const Spring& p) const {
    return p.count != 1 || !sys.flanks[p.flanks].attached || !sys.flanks[p.flanks].line.corners.empty();
  }

  [[noreturn]] void refuse_bent(const Spring& spring) const {
    reject(what, "= '" + spring.name +
                     ".force' is a force with backlash or corners: it can be the only term, without a "
                     "load_table, and of a spring without damping; else write the load as a formula, "
                     "normal_load=lambda q, v, t: ...");
  }

  // The spring with backlash or corners that is the only term.
  const Spring* bent_spring(const FrictionElement& f) const {
    for (const Part& part : f.load.parts) {
      const Spring* const spring = spring_of(part.name);
      if (spring == nullptr || !is_bent(*spring)) continue;
      if (f.load.parts.size() > 1 || spring->damping > 0.0 || !f.load_at.empty()) refuse_bent(*spring);
      return spring;
    }
    return nullptr;
  }

  Form form_of(const std::string& name) {
    if (const Spring* const p = spring_of(name)) {
      const Stretch& s = sys.flanks[p->flanks].line.stretches.front();
      Form f{s.slope * p->elongation.x + p->damping * p->rate.x,
             s.slope * p->elongation.s + p->damping * p->rate.s};
      if (s.offset != 0.0) f.s(sys.one) += s.offset;
      return f;
    }
    if (name.ends_with(".force")) refuse_force(name);
    const Reading r = d.read(what, Combination{{{name, 1.0}}});
    return outputs.form_of(r, what);
  }

  // Forces that follow the friction of the same instant.
  [[noreturn]] void refuse_force(const std::string& name) const {
    const std::string owner = name.substr(0, name.size() - 6);
    const auto is_owner = [&](const auto& rows) {
      return std::ranges::any_of(rows, [&](const auto& row) { return row.name == owner; });
    };
    if (is_owner(sys.friction) || is_owner(sys.contacts))
      reject(what, "= '" + name +
                       "' is found together with the motion: it must be a spring's force, a controller's "
                       "output, an applied force, a constraint's '<constraint>.force', or a contact's "
                       "'<contact>.normal_force'");
    List<std::string> known;
    for (const Spring& p : sys.springs) known.push_back(p.name);
    for (const Constraint& c : sys.constraints.all) known.push_back(c.name);
    throw UnknownName(what + ": unknown spring or constraint '" + owner + "'; known are: " + quoted(known));
  }
};

} // namespace

Index loading_constraint(const Draft& d, const FrictionElement& f, const Combination& load) {
  List<std::string> known;
  for (Index k = 0; k < d.sys.constraints.all.size(); ++k) {
    known.push_back(d.sys.constraints.all[k].name + ".force");
    if (load.parts.size() == 1 && load.parts.front().name == known.back()) return k;
  }
  reject("normal_load of '" + f.name + "'",
         "= '" + text(load) +
             "' is no force of a constraint, or of one that loads other friction alone: components "
             "of a magnitude must be among " +
             quoted(known) +
             "; write others as a formula, "
             "normal_load=lambda q, v, t: ...");
}

void wire_loads(Draft& d) {
  if (d.machine.matrices()) return;
  Loads loads(d);
  for (Index i = 0; i < d.all<FrictionElement>().size(); ++i)
    loads.wire(*d.all<FrictionElement>()[i], d.sys.friction[i]);
}

} // namespace stickslip
