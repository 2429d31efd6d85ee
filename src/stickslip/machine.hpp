// Machines: the description that simulate() and RealTimeModel read. Units are SI units, angles in rad.
//
//   Machine m(Plant{.mass = Matrix::Identity(1, 1), .damping = Matrix::Zero(1, 1),
//                   .stiffness = Matrix::Constant(1, 1, 2.0), .names = {"block"}});
//   m.add(FrictionElement{.name = "belt", .on = {{{"block", 1.0}}}, .law = {{Coulomb{1.0, 0.8}}},
//                         .surface_velocity = constant_signal(0.2)});
//
// Plants     Plant: M q'' + D q' + K q = forces; MatrixPlant: x' = A x + B u + A_NL F
// Elements   AppliedForce, FrictionElement, ContactElement, SpringElement, ConstraintElement, ClutchElement,
//            DetentElement, ControllerElement, CompensatorElement; each documents its members where it is defined
// Laws       Law: a sum of Coulomb, Viscous, Stribeck, Tanh, Table, LuGre, Dahl, TwoStateBristle, ElastoPlastic,
//            MaxwellSlip, BoucWen, Leuven; levels are per unit normal load
// Signals    constant_signal, and those of signal/shapes.hpp: ramp_signal, step_signal, sine_signal,
//            smooth_step_signal, piecewise_signal, samples_signal, move_signal; input_signal: a value that a caller
//            sets in real time. Signals are added and multiplied by numbers.
// Control    Controller: P, PI, PID, Cascade, Linear or Program (a function), with ControlOptions
//
// Machine::add throws InvalidArgument, with the element and the member, for a value that is not allowed. References
// between elements are checked when the machine is simulated.
#pragma once

#include "model/machine.hpp"
#include "signal/shapes.hpp"
