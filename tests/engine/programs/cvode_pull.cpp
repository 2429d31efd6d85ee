// The LuGre block pulled by a spring of benchmarks/pull.py by CVODE from C: BDF with the analytic Jacobian.
//
//   cvode_pull T_END RTOL N   prints the position every 10 s
#include "cvode.hpp"

#include <cmath>

namespace {

constexpr double s0 = 1e5, s2 = 0.4, kinetic = 1.0, static_level = 1.5, stribeck = 1e-3, stiffness = 2.0,
                 pull = 0.1;
const double s1 = std::sqrt(s0);

int rate(double t, N_Vector state, N_Vector out, void*) {
  const double* y = N_VGetArrayPointer(state);
  double* r = N_VGetArrayPointer(out);
  const double v = y[1], z = y[2], share = v / stribeck;
  const double bristle =
      v - std::abs(v) * s0 * z / (kinetic + (static_level - kinetic) * std::exp(-share * share));
  r[0] = v;
  r[1] = stiffness * (pull * t - y[0]) - s0 * z - s1 * bristle - s2 * v;
  r[2] = bristle;
  return 0;
}

int jacobian(double, N_Vector state, N_Vector, SUNMatrix out, void*, N_Vector, N_Vector, N_Vector) {
  const double* y = N_VGetArrayPointer(state);
  const double v = y[1], z = y[2], share = v / stribeck;
  const double fall = (static_level - kinetic) * std::exp(-share * share), per_g = s0 / (kinetic + fall);
  const double slope = -2.0 * v / (stribeck * stribeck) * fall;
  const double by_v =
      1.0 - std::copysign(1.0, v) * z * per_g + std::abs(v) * z * per_g * slope / (kinetic + fall);
  const double by_z = -std::abs(v) * per_g;
  double* J = SUNDenseMatrix_Data(out); // by column
  J[0] = 0.0, J[1] = -stiffness, J[2] = 0.0;
  J[3] = 1.0, J[4] = -s1 * by_v - s2, J[5] = by_v;
  J[6] = 0.0, J[7] = -s0 - s1 * by_z, J[8] = by_z;
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const double t_end = std::atof(argv[1]), rtol = std::atof(argv[2]), every = 10.0;
  SUNContext context = nullptr;
  cvode::check(SUNContext_Create(0, &context));
  const N_Vector x = N_VNew_Serial(3, context), atol = N_VNew_Serial(3, context);
  const SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
  const double sizes[] = {1.0, stribeck, kinetic / s0};
  for (int i = 0; i < 3; ++i) N_VGetArrayPointer(atol)[i] = rtol * sizes[i];
  void* solver = CVodeCreate(cvode::bdf, context);
  cvode::check(CVodeInit(solver, rate, 0.0, x));
  cvode::check(CVodeSVtolerances(solver, rtol, atol));
  cvode::check(CVodeSetMaxNumSteps(solver, 10'000'000));
  cvode::check(CVodeSetLinearSolver(solver, SUNLinSol_Dense(x, matrix, context), matrix));
  cvode::check(CVodeSetJacFn(solver, jacobian));
  return cvode::report(std::atoi(argv[3]), "positions", [&] {
    std::vector<double> positions;
    double t = 0.0, *state = N_VGetArrayPointer(x);
    for (int i = 0; i < 3; ++i) state[i] = 0.0;
    cvode::check(CVodeReInit(solver, 0.0, x));
    for (double at = every; at <= t_end; at += every) {
      cvode::check(CVode(solver, at, x, &t, cvode::normal));
      positions.push_back(state[0]);
    }
    return positions;
  });
}
