// What the programs of CVODE use of SUNDIALS 7, declared here since the package scikit-sundae brings its libraries without
// their headers: real numbers are doubles, indices are ints.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

extern "C" {
using N_Vector = struct GenericNVector*;
using SUNMatrix = struct GenericMatrix*;
using SUNLinearSolver = struct GenericLinearSolver*;
using SUNNonlinearSolver = struct GenericNonlinearSolver*;
using SUNContext = struct GenericContext*;
using RhsFunction = int (*)(double, N_Vector, N_Vector, void*);
using RootFunction = int (*)(double, N_Vector, double*, void*);
using JacobianFunction = int (*)(double, N_Vector, N_Vector, SUNMatrix, void*, N_Vector, N_Vector, N_Vector);

int SUNContext_Create(int, SUNContext*);
N_Vector N_VNew_Serial(int, SUNContext);
double* N_VGetArrayPointer(N_Vector);
SUNMatrix SUNDenseMatrix(int, int, SUNContext);
double* SUNDenseMatrix_Data(SUNMatrix);
SUNLinearSolver SUNLinSol_Dense(N_Vector, SUNMatrix, SUNContext);
void* CVodeCreate(int, SUNContext);
int CVodeInit(void*, RhsFunction, double, N_Vector);
int CVodeReInit(void*, double, N_Vector);
int CVodeSStolerances(void*, double, double);
int CVodeSVtolerances(void*, double, N_Vector);
int CVodeSetUserData(void*, void*);
int CVodeSetMaxNumSteps(void*, long);
int CVodeSetStopTime(void*, double);
int CVodeSetLinearSolver(void*, SUNLinearSolver, SUNMatrix);
int CVodeSetJacFn(void*, JacobianFunction);
int CVodeRootInit(void*, int, RootFunction);
int CVodeSetRootDirection(void*, int*);
int CVode(void*, double, N_Vector, double*, int);
}

namespace cvode {

constexpr int adams = 1, bdf = 2; // linear multistep methods
constexpr int normal = 1;         // integrate up to the time that is given
constexpr int root_found = 2;

inline void check(int flag) {
  if (flag < 0) throw std::runtime_error("CVODE failed");
}

// Times so many calls, and prints the best time and the numbers of the last call as JSON.
template <class Call> int report(int count, const char* name, Call&& call) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> found;
  for (int i = 0; i < count; ++i) {
    const auto start = std::chrono::steady_clock::now();
    found = call();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed.count() < best) best = elapsed.count();
  }
  std::printf("{\"seconds\": %.9g, \"%s\": [", best, name);
  for (std::size_t i = 0; i < found.size(); ++i) std::printf("%s%.17g", i ? ", " : "", found[i]);
  std::printf("]}\n");
  return 0;
}

} // namespace cvode
