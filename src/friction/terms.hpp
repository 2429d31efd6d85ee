// The closed set of friction terms: one line per law here, one in the variant of law.hpp.
#pragma once

#include "friction/bristles/bouc_wen.hpp"
#include "friction/bristles/dahl.hpp"
#include "friction/bristles/elasto_plastic.hpp"
#include "friction/bristles/formula.hpp"
#include "friction/bristles/leuven.hpp"
#include "friction/bristles/lugre.hpp"
#include "friction/bristles/maxwell_slip.hpp"
#include "friction/bristles/two_state.hpp"
#include "friction/curves/callable.hpp"
#include "friction/curves/coulomb.hpp"
#include "friction/curves/stribeck.hpp"
#include "friction/curves/table.hpp"
#include "friction/curves/tanh.hpp"
#include "friction/curves/viscous.hpp"
