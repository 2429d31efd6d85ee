// Table of contents of the compiled module: a submodule for each room of src/, in the order in which data flows.
#include "bind.hpp"

PYBIND11_MODULE(engine, m) {
  namespace b = stickslip::bindings;
  m.doc() = "The compiled engine of stickslip.";
  m.attr("__version__") = STICKSLIP_VERSION;
  b::bind_core();
  b::bind_signal(m.def_submodule("signal", "Functions of time."));
  b::bind_expression(
      m.def_submodule("expression", "Formulas as sequences of elementary operations (tapes)."));
  b::bind_friction(m.def_submodule("friction", "Friction laws."));
  b::bind_contact(m.def_submodule("contact", "Linear complementarity problems."));
  b::bind_control(m.def_submodule("control", "Controllers and their linear blocks."));
  b::bind_model(m.def_submodule("model", "The description of a machine."));
  b::bind_dynamics(m.def_submodule("dynamics", "Compiled machines and the states of their runs."));
  b::bind_flow(m.def_submodule("flow", "Settings of a run."));
  b::bind_transition(m.def_submodule("transition", "Contact transitions and frictional impacts."));
  b::bind_run(m.def_submodule("run", "Runs and their results."));
  b::bind_realtime(m.def_submodule("realtime", "Fixed-step simulation for real time."));
  b::bind_ensemble(m.def_submodule("ensemble", "Many runs at once."));
  b::bind_sensitivity(m.def_submodule("sensitivity", "Derivatives along a run."));
  b::bind_linear(m.def_submodule("linear", "Machines linearised about a state."));
  b::bind_export(m.def_submodule("export", "Machines for other programs."));
}

// The types of the module exist once per process. In a subinterpreter pybind11 would wait for the lock of the main
// interpreter, which the importing thread holds (Python up to 3.12).
extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return PyInit_engine();
  PyErr_SetString(PyExc_ImportError,
                  "stickslip cannot be imported in a subinterpreter: import it in the main "
                  "interpreter, or start a process (multiprocessing) in place of the subinterpreter");
  return nullptr;
}
