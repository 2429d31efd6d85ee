// What stickslip/contact.py puts a documented face on.
#include "bind.hpp"

#include "core/error.hpp"
#include "transition/impact.hpp"
#include "transition/rules.hpp"
#include "transition/source_form.hpp"

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace stickslip::bindings {

namespace {

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Ints = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// Per element: contact, state, and the lines as rows (low.a, low.b, high.a, high.b, minus.a, minus.b, plus.a,
// plus.b).
contact::Problem problem(const Matrix& G, const Vector& free, Index contacts, const Ints& element_contact,
                         const Ints& state, const Array& lines, bool needs_contact = true) {
  contact::Problem p;
  p.contacts = contacts;
  p.G = G;
  p.free = free;
  const Index m = element_contact.size();
  if (state.size() != m || lines.ndim() != 2 || lines.shape(0) != m || lines.shape(1) != 8)
    reject("elements", "need a contact, a state and eight coefficients each");
  for (Index i = 0; i < m; ++i) {
    contact::Element s;
    s.contact = element_contact.data()[i];
    s.state = static_cast<contact::Mode>(state.data()[i]);
    const double* l = lines.data() + 8 * i;
    s.low = {l[0], l[1]}, s.high = {l[2], l[3]}, s.minus = {l[4], l[5]}, s.plus = {l[6], l[7]};
    s.needs_contact = needs_contact;
    p.elements.push_back(s);
  }
  contact::validate(p);
  return p;
}

template <class T, class S> py::array_t<T> array_of(const std::vector<S>& v) {
  py::array_t<T> a(static_cast<py::ssize_t>(v.size()));
  for (std::size_t i = 0; i < v.size(); ++i) a.mutable_data()[i] = static_cast<T>(v[i]);
  return a;
}

py::dict describe(const contact::Candidate& c, const std::vector<std::uint8_t>& left) {
  py::dict d;
  d["modes"] = array_of<std::int8_t>(c.modes);
  d["force"] = array_of<double>(c.force);
  d["acceleration"] = array_of<double>(c.acceleration);
  d["touching"] = array_of<bool>(c.touching);
  d["left_rest"] = array_of<bool>(left);
  d["constraint"] = c.constraint;
  d["utilisation"] = c.utilisation;
  d["unique_forces"] = c.unique;
  return d;
}

py::tuple transitions(const Matrix& G, const Vector& free, Index contacts, const Ints& element_contact,
                      const Ints& state, const Array& lines, const std::vector<contact::Allowed>& allowed) {
  const contact::Problem p = problem(G, free, contacts, element_contact, state, lines);
  contact::TransitionWorkspace ws;
  const bool complete = contact::transitions(p, allowed, ws);
  py::list all;
  for (Index k = 0; k < ws.answers.size(); ++k) {
    bool fresh = true;
    for (Index b = 0; b < k && fresh; ++b) fresh = !contact::same_solution(p, ws.answers[k], ws.answers[b]);
    if (fresh) all.append(describe(ws.answers[k], ws.left[k]));
  }
  return py::make_tuple(all, complete);
}

// The step without static to kinetic: what a phase of an impact is, and a transition between equal levels.
struct Stage {
  contact::Problem problem;
  std::vector<contact::Slip> slip;
  std::vector<contact::Mode> direction;
  contact::StageWorkspace work;

  explicit Stage(contact::Problem p) : problem(std::move(p)) {
    for (const contact::Element& s : problem.elements) {
      const bool rests = s.state == contact::Mode::stick;
      slip.push_back(rests ? contact::Slip::impending : contact::Slip::sliding);
      direction.push_back(s.state);
    }
  }
};

py::list stage(const Matrix& G, const Vector& free, Index contacts, const Ints& element_contact,
               const Ints& state, const Array& lines, bool needs_contact) {
  Stage s(problem(G, free, contacts, element_contact, state, lines, needs_contact));
  const std::vector<contact::Allowed> allowed(static_cast<std::size_t>(s.problem.size()), contact::anything);
  contact::Pool found;
  contact::solve_stage(s.problem, allowed, s.slip, s.direction, s.work, found);
  contact::drop_repeated(s.problem, found);
  py::list all;
  for (Index k = 0; k < found.size(); ++k) all.append(describe(found[k], {}));
  return all;
}

std::vector<double> margins(const Matrix& G, const Vector& free, Index contacts, const Ints& element_contact,
                            const Ints& state, const Array& lines, bool needs_contact) {
  Stage s(problem(G, free, contacts, element_contact, state, lines, needs_contact));
  return contact::stage_margins(s.problem, s.slip, s.direction, s.work);
}

py::dict choose(const Matrix& G, const Vector& free, Index contacts, const Ints& element_contact,
                const Ints& state, const Array& lines, const std::vector<int>& present,
                const std::vector<contact::Allowed>& allowed,
                const std::optional<std::function<bool(py::dict)>>& admissible) {
  const contact::Problem p = problem(G, free, contacts, element_contact, state, lines);
  if (static_cast<Index>(present.size()) != p.size())
    reject("present", "must have one mode per contact and element: " + std::to_string(p.size()));
  std::vector<contact::Mode> modes;
  for (const int m : present) modes.push_back(static_cast<contact::Mode>(m));
  contact::TransitionWorkspace ws;
  contact::Choice out;
  auto ask = [&](const contact::Candidate& c, List<std::uint8_t>& leaving) {
    return leaving.empty() ? (*admissible)(describe(c, {})) : contact::leave_at_once(c, leaving);
  };
  contact::choose(p, modes, allowed, admissible ? contact::admissible_by(ask) : contact::Admissible{}, ws,
                  out);
  py::dict d = out.found() ? describe(out.answer, out.left_rest) : py::dict();
  d["rule"] = name(out.rule);
  d["solutions"] = out.solutions >= 0 ? py::object(py::int_(out.solutions)) : py::none();
  d["certified_unique"] = out.certified_unique;
  return d;
}

contact::Impact make_impact(Index contacts, const Ints& element_contact, const Vector& friction,
                            const Vector& restitution, const Vector& tangential, const std::string& law,
                            bool collision) {
  contact::Impact p;
  p.contacts = contacts;
  p.contact_of.assign(element_contact.data(), element_contact.data() + element_contact.size());
  p.friction = friction, p.restitution = restitution;
  for (const double e : tangential) // NaN: none
    p.tangential_restitution.push_back(std::isnan(e) ? std::nullopt : std::optional<double>(e));
  if (law != "poisson" && law != "newton")
    reject("law", "= '" + law + "' is not allowed: 'poisson' or 'newton'");
  p.law = law == "poisson" ? contact::ImpactLaw::poisson : contact::ImpactLaw::newton;
  p.collision = collision;
  return p;
}

py::tuple impact(const Matrix& G, const Vector& velocity, const Vector& wall, Index contacts,
                 const Ints& element_contact, const Vector& friction, const Vector& restitution,
                 const Vector& tangential, const std::string& law, bool collision) {
  contact::Impact p =
      make_impact(contacts, element_contact, friction, restitution, tangential, law, collision);
  p.G = G, p.velocity = velocity, p.wall = wall;
  contact::validate(p);
  contact::ImpactWorkspace ws;
  const contact::ImpactAnswer a = contact::impact(p, ws);
  py::list all;
  for (const auto& s : a.solutions) {
    py::dict d;
    d["compression"] = array_of<std::int8_t>(s.compression);
    d["expansion"] = array_of<std::int8_t>(s.expansion);
    d["impulse"] = s.impulse;
    d["compression_impulse"] = s.compression_impulse;
    d["velocity"] = s.velocity;
    d["energy_change"] = s.energy_change;
    d["wall_work"] = s.wall_work;
    d["unique_impulse"] = s.unique_impulse;
    all.append(d);
  }
  return py::make_tuple(all, a.ambiguous, a.complete);
}

// First answer of each of many impacts with the same elements: velocities after, energy change, number of
// answers.
py::tuple impact_batch(const Array& G, const Array& velocity, Index contacts, const Ints& element_contact,
                       const Array& friction, const Array& restitution, const std::string& law) {
  const Index k = velocity.shape(0), n = velocity.ndim() == 2 ? velocity.shape(1) : 0, m = n - contacts;
  if (velocity.ndim() != 2 || G.ndim() != 3 || G.shape(0) != k || G.shape(1) != n || G.shape(2) != n)
    reject("G", "must have shape (k, n, n) for velocities of shape (k, n)");
  if (friction.ndim() != 2 || friction.shape(0) != k || friction.shape(1) != m)
    reject("friction", "must have shape (k, tangential directions)");
  if (restitution.ndim() != 2 || restitution.shape(0) != k || restitution.shape(1) != contacts)
    reject("restitution", "must have shape (k, contacts)");
  contact::Impact p =
      make_impact(contacts, element_contact, Vector::Zero(m), Vector::Zero(contacts), Vector(), law, true);
  Array after({k, n}), energy(k);
  Ints count(k);
  double *pa = after.mutable_data(), *pe = energy.mutable_data();
  std::int64_t* pc = count.mutable_data();
  {
    py::gil_scoped_release free;
    contact::ImpactWorkspace ws;
    for (Index i = 0; i < k; ++i) {
      p.G = Eigen::Map<const lcp::RowMatrix>(G.data() + i * n * n, n, n);
      p.velocity = Eigen::Map<const Vector>(velocity.data() + i * n, n);
      p.friction = Eigen::Map<const Vector>(friction.data() + i * m, m);
      p.restitution = Eigen::Map<const Vector>(restitution.data() + i * contacts, contacts);
      contact::validate(p);
      const contact::ImpactAnswer a = contact::impact(p, ws);
      pc[i] = static_cast<std::int64_t>(a.solutions.size());
      const bool any = !a.solutions.empty();
      pe[i] = any ? a.solutions[0].energy_change : std::numeric_limits<double>::quiet_NaN();
      for (Index j = 0; j < n; ++j)
        pa[i * n + j] = any ? a.solutions[0].velocity(j) : std::numeric_limits<double>::quiet_NaN();
    }
  }
  return py::make_tuple(after, energy, count);
}

py::tuple source_form(const Matrix& G, const Vector& free, Index contacts, const Ints& element_contact,
                      const Ints& state, const Array& lines) {
  const contact::Problem p = problem(G, free, contacts, element_contact, state, lines);
  lcp::RowMatrix A;
  Vector b;
  contact::assemble_source_form(p, A, b);
  return py::make_tuple(A, b);
}

py::dict label(const Matrix& G, const Vector& free, Index contacts, const Ints& element_contact,
               const Ints& state, const Array& lines, bool needs_contact, const Vector& z,
               const std::optional<Vector>& w) {
  const contact::Problem p = problem(G, free, contacts, element_contact, state, lines, needs_contact);
  Index order = contacts;
  for (const contact::Element& s : p.elements) order += s.state == contact::Mode::stick ? 4 : 0;
  if (z.size() != order || (w && w->size() != order))
    reject("z", "and w must have length " + std::to_string(order));
  contact::Candidate c;
  contact::label_source_form(p, z.data(), w ? w->data() : nullptr, c);
  return describe(c, {});
}

} // namespace

void bind_transition(py::module_ m) {
  using namespace py::literals;
  m.attr("largest_mode_count") = contact::largest_mode_count;
  m.def("transitions", &transitions, "G"_a, "free"_a, "contacts"_a, "element_contact"_a, "state"_a, "lines"_a,
        "allowed"_a);
  m.def("stage", &stage, "G"_a, "free"_a, "contacts"_a, "element_contact"_a, "state"_a, "lines"_a,
        "needs_contact"_a);
  m.def("margins", &margins, "G"_a, "free"_a, "contacts"_a, "element_contact"_a, "state"_a, "lines"_a,
        "needs_contact"_a);
  m.def("label", &label, "G"_a, "free"_a, "contacts"_a, "element_contact"_a, "state"_a, "lines"_a,
        "needs_contact"_a, "z"_a, "w"_a = py::none());
  m.def("choose", &choose, "G"_a, "free"_a, "contacts"_a, "element_contact"_a, "state"_a, "lines"_a,
        "present"_a, "allowed"_a, "admissible"_a);
  m.def("impact", &impact, "G"_a, "velocity"_a, "wall"_a, "contacts"_a, "element_contact"_a, "friction"_a,
        "restitution"_a, "tangential_restitution"_a, "law"_a, "collision"_a);
  m.def("impact_batch", &impact_batch, "G"_a, "velocity"_a, "contacts"_a, "element_contact"_a, "friction"_a,
        "restitution"_a, "law"_a);
  m.def("source_form", &source_form, "G"_a, "free"_a, "contacts"_a, "element_contact"_a, "state"_a,
        "lines"_a);
}

} // namespace stickslip::bindings
