// The closed set of friction terms: one line per law here, one in the variant of law.hpp.
#pragma once

#include "friction/curves/coulomb.hpp"
#include "friction/curves/stribeck.hpp"
#include "friction/curves/viscous.hpp"
