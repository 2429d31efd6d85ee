// The engine for C++ programs.
#pragma once

#include "stickslip/machine.hpp"
#include "stickslip/machine_file.hpp"
#include "stickslip/real_time.hpp"
#include "stickslip/simulation.hpp"
