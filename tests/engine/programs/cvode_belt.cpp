// The block on a belt of belt_run.cpp by CVODE from C: Adams or BDF from event to event, which CVODE locates.
//
//   cvode_belt T_END RTOL N [bdf]   as belt_run
#include "cvode.hpp"

#include <string>

namespace {

constexpr double stiffness = 2.0, belt = 0.2, static_level = 1.0, kinetic = 0.8;

bool sticks(void* user) {
  return *static_cast<bool*>(user);
}

int rate(double, N_Vector state, N_Vector out, void* user) {
  const double* x = N_VGetArrayPointer(state);
  double* r = N_VGetArrayPointer(out);
  r[0] = sticks(user) ? belt : x[1];
  r[1] = sticks(user) ? 0.0 : kinetic - stiffness * x[0];
  return 0;
}

int jacobian(double, N_Vector, N_Vector, SUNMatrix out, void* user, N_Vector, N_Vector, N_Vector) {
  double* by_column = SUNDenseMatrix_Data(out);
  by_column[0] = 0.0;
  by_column[1] = sticks(user) ? 0.0 : -stiffness;
  by_column[2] = sticks(user) ? 0.0 : 1.0;
  by_column[3] = 0.0;
  return 0;
}

int guard(double, N_Vector state, double* out, void* user) {
  const double* x = N_VGetArrayPointer(state);
  out[0] = sticks(user) ? static_level - stiffness * x[0] : belt - x[1];
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const double t_end = std::atof(argv[1]), rtol = std::atof(argv[2]);
  const int method = argc > 4 && std::string(argv[4]) == "bdf" ? cvode::bdf : cvode::adams;
  SUNContext context = nullptr;
  cvode::check(SUNContext_Create(0, &context));
  const N_Vector x = N_VNew_Serial(2, context);
  const SUNMatrix matrix = SUNDenseMatrix(2, 2, context);
  void* solver = CVodeCreate(method, context);
  bool stick = true;
  int falling = -1;
  cvode::check(CVodeInit(solver, rate, 0.0, x));
  cvode::check(CVodeSStolerances(solver, rtol, 1e-2 * rtol));
  cvode::check(CVodeSetUserData(solver, &stick));
  cvode::check(CVodeSetMaxNumSteps(solver, 1'000'000));
  cvode::check(CVodeSetLinearSolver(solver, SUNLinSol_Dense(x, matrix, context), matrix));
  cvode::check(CVodeSetJacFn(solver, jacobian));
  cvode::check(CVodeRootInit(solver, 1, guard));
  cvode::check(CVodeSetRootDirection(solver, &falling));
  return cvode::report(std::atoi(argv[3]), "events", [&] {
    std::vector<double> times;
    double t = 0.0, *state = N_VGetArrayPointer(x);
    state[0] = 0.0, state[1] = belt;
    for (stick = true;; stick = !stick) {
      cvode::check(CVodeReInit(solver, t, x));
      cvode::check(CVodeSetStopTime(solver, t_end));
      const int flag = CVode(solver, t_end, x, &t, cvode::normal);
      cvode::check(flag);
      if (flag != cvode::root_found) return times;
      times.push_back(t);
      if (!stick) state[1] = belt;
    }
  });
}
