// Expressions.
#include "bind.hpp"
#include "codec.hpp"
#include "codec_fields.hpp"
#include "expression.hpp"

#include "expression/diagnose.hpp"
#include "expression/text.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <utility>

namespace py = pybind11;
using namespace pybind11::literals;

namespace stickslip::bindings {

Expression::Expression(const Tape& tape) : graph(std::make_shared<Graph>()), node(0) {
  if (tape.outputs.size() != 1) throw py::value_error("an expression has one output");
  node = graph->load(tape).outputs[0];
}

Expression Expression::input(const std::string& name) {
  auto graph = std::make_shared<Graph>();
  const Node node = graph->input(name);
  return {std::move(graph), node};
}

Expression Expression::constant(double value) {
  auto graph = std::make_shared<Graph>();
  const Node node = graph->constant(value);
  return {std::move(graph), node};
}

Expression Expression::parameter(const std::string& name, double value) {
  auto graph = std::make_shared<Graph>();
  const Node node = graph->parameter(name, value);
  return {std::move(graph), node};
}

std::shared_ptr<Graph> Expression::common(const std::vector<const Expression*>& parts) {
  std::shared_ptr<Graph> largest = parts.front()->graph;
  for (const Expression* part : parts)
    if (part->graph->size() > largest->size()) largest = part->graph;
  return largest;
}

Node Expression::in(const std::shared_ptr<Graph>& other) const {
  return other == graph ? node : other->load(tape()).outputs[0];
}

Tape Expression::tape_of(const std::vector<const Expression*>& outputs,
                         const std::optional<std::vector<std::string>>& inputs) {
  if (outputs.empty()) return {};
  const std::shared_ptr<Graph> graph = common(outputs);
  List<Node> nodes;
  for (const Expression* e : outputs) nodes.push_back(e->in(graph));
  return inputs ? graph->tape(nodes, *inputs) : graph->tape(nodes);
}

const Tape& Expression::tape() const {
  if (!own) own = std::make_shared<const Tape>(graph->tape({node}));
  return *own;
}

std::vector<Expression> Expression::conditions() const {
  std::vector<Expression> out;
  for (const Node n : graph->load(tape()).conditions) out.push_back(Expression{graph, n});
  return out;
}

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Signs = std::optional<std::vector<int>>;

Expression applied(const std::string& operation, const Expression& a, const std::optional<Expression>& b) {
  const auto o = choose<Operation>("operation", operation);
  if ((arity(o) == 2) != b.has_value())
    reject("operation", "= '" + operation + "' has another number of arguments");
  if (is_select(o) || o == Operation::integer_power)
    reject("operation", "= '" + operation + "' is not for people");
  if (!b) return Expression::of({&a}, [o](Graph& g, const auto& n) { return g.apply(o, n[0]); });
  return Expression::of({&a, &*b}, [o](Graph& g, const auto& n) { return g.apply(o, n[0], n[1]); });
}

Expression where(const Expression& a, const Expression& b, bool strictly, const Expression& first,
                 const Expression& second) {
  return Expression::of({&a, &b, &first, &second}, [strictly](Graph& g, const auto& n) {
    return g.where(n[0], n[1], strictly, n[2], n[3]);
  });
}

// The derivative along a direction: the rate of each of these inputs and parameters.
Expression along(const Expression& e, const std::map<std::string, Expression>& rates) {
  std::vector<const Expression*> parts{&e};
  for (const auto& [name, rate] : rates) parts.push_back(&rate);
  return Expression::of(parts, [&](Graph& g, const auto& n) {
    Graph::Direction direction;
    std::size_t k = 0;
    for (const auto& [name, rate] : rates) direction[g.variable(n[0], name)] = n[++k];
    return g.derivatives({n[0]}, direction)[0];
  });
}

std::map<std::string, double> parameters(const Expression& e) {
  const Tape& tape = e.tape();
  std::map<std::string, double> out;
  for (Index k = 0; k < tape.parameters.size(); ++k) out.emplace(tape.parameters[k], tape.constants[k]);
  return out;
}

// With inputs in place of the parameters, which have the same slots.
Expression with_free_parameters(const Expression& e) {
  Tape tape = e.tape();
  tape.inputs.insert(tape.inputs.end(), tape.parameters.begin(), tape.parameters.end());
  tape.constants.erase(tape.constants.begin(), tape.constants.begin() + tape.parameters.size());
  tape.parameters.clear();
  return Expression(tape);
}

List<Sign> signs_of(const Tape& tape, const Signs& given) {
  List<Sign> out;
  if (!given) return out;
  if (std::ssize(*given) != tape.conditions.size())
    reject("branch", "has " + std::to_string(given->size()) + " signs, but the expression has " +
                         std::to_string(tape.conditions.size()) + " conditions");
  for (const int sign : *given) {
    if (sign != 1 && sign != -1) reject("branch", sign, "1 or -1");
    out.push_back(static_cast<Sign>(sign));
  }
  return out;
}

void run(const Tape& tape, const List<Sign>& signs, bool prescribed, double* slots) {
  if (prescribed)
    evaluate(tape, signs.data(), slots);
  else
    evaluate(tape, slots);
}

void check_points(const Tape& tape, const Array& points) {
  if (points.ndim() != 2 || points.shape(1) != tape.inputs.size())
    reject("points", "must have one column for each input");
}

py::array_t<double> values(const Expression& e, const Array& points, const Signs& given) {
  const Tape& tape = e.tape();
  check_points(tape, points);
  const List<Sign> signs = signs_of(tape, given);
  const Index count = points.shape(0), width = tape.inputs.size();
  py::array_t<double> out(count);
  double* to = out.mutable_data();
  const double* from = points.data();
  const py::gil_scoped_release free;
  List<double> slots(tape.slots());
  prepare(tape, slots.data());
  for (Index k = 0; k < count; ++k) {
    std::copy_n(from + k * width, width, slots.begin());
    run(tape, signs, given.has_value(), slots.data());
    to[k] = slots[tape.outputs[0]];
  }
  return out;
}

std::optional<std::string> undefined(const Expression& e, const Array& points, const Signs& given) {
  const Tape& tape = e.tape();
  check_points(tape, points);
  const List<Sign> signs = signs_of(tape, given);
  const Index width = tape.inputs.size();
  List<double> slots(tape.slots());
  prepare(tape, slots.data());
  for (Index k = 0; k < points.shape(0); ++k) {
    std::copy_n(points.data() + k * width, width, slots.begin());
    run(tape, signs, given.has_value(), slots.data());
    if (const auto found = diagnose(tape, given ? signs.data() : nullptr, slots.data())) return found->text;
  }
  return {};
}

constexpr int format = 1; // of what pickle saves

py::dict state(const Expression& e) {
  py::dict out = Packer{true}(e.tape());
  out["format"] = format;
  return out;
}

Expression restored(const py::dict& saved) {
  return read_soundly("expression", [&] {
    py::dict fields(saved.attr("copy")());
    if (!fields.contains("format") || !fields.attr("pop")("format").equal(py::int_(format)))
      throw py::value_error("this expression was saved by another version of stickslip");
    Tape tape;
    unpack("expression", fields, tape);
    return Expression(tape);
  });
}

} // namespace

void bind_expression(py::module_ m) {
  using E = Expression;
  py::class_<E>(m, "Expression", "A formula of named inputs, constants and elementary operations.")
      .def_static("input", &E::input, "name"_a)
      .def_static("constant", &E::constant, "value"_a)
      .def_static("parameter", &E::parameter, "name"_a, "value"_a)
      .def_static(
          "tape",
          [](const std::vector<const E*>& outputs, const std::optional<std::vector<std::string>>& inputs)
              -> py::dict { return Packer{true}(E::tape_of(outputs, inputs)); },
          "outputs"_a, "inputs"_a = py::none(),
          "One tape for several expressions, in the form in which machines store them.")
      .def_static("apply", &applied, "operation"_a, "a"_a, "b"_a = py::none())
      .def_static("where", &where, "a"_a, "b"_a, "strictly"_a, "first"_a, "second"_a)
      .def("absolute",
           [](const E& a) { return E::of({&a}, [](Graph& g, const auto& n) { return g.absolute(n[0]); }); })
      .def("sign",
           [](const E& a) { return E::of({&a}, [](Graph& g, const auto& n) { return g.sign(n[0]); }); })
      .def(
          "minimum",
          [](const E& a, const E& b) {
            return E::of({&a, &b}, [](Graph& g, const auto& n) { return g.least(n[0], n[1]); });
          },
          "other"_a)
      .def(
          "maximum",
          [](const E& a, const E& b) {
            return E::of({&a, &b}, [](Graph& g, const auto& n) { return g.greatest(n[0], n[1]); });
          },
          "other"_a)
      .def("along", &along, "rates"_a)
      .def("values", &values, "points"_a, "branch"_a)
      .def("undefined", &undefined, "points"_a, "branch"_a)
      .def_property_readonly("inputs", [](const E& e) { return e.tape().inputs; })
      .def_property_readonly("parameters", &parameters)
      .def("with_free_parameters", &with_free_parameters)
      .def_property_readonly("conditions", &E::conditions)
      .def_property_readonly("value", &E::value)
      .def_property_readonly("operations", [](const E& e) { return e.tape().code.size(); })
      .def("text", [](const E& e) { return text(e.tape(), e.tape().outputs[0]); })
      .def("__eq__",
           [](const E& a, const py::object& b) {
             return py::isinstance<E>(b) && a.tape() == b.cast<const E&>().tape();
           })
      .def("__hash__", [](const E& e) { return hash_of(e.tape()); })
      .def("state", &state, "The expression as plain Python values, for pickling.")
      .def_static("restored", &restored, "state"_a);
}

} // namespace stickslip::bindings
