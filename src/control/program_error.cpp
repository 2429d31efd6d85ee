#include "control/program_error.hpp"

#include "core/error.hpp"

#include <utility>

namespace stickslip {

Program named(Program program, const std::string& controller) {
  program.call = [call = std::move(program.call), prefix = "controller '" + controller + "': "](
                     double t, const double* w, double* z, double* u) {
    try {
      call(t, w, z, u);
    } catch (const ProgramError& error) {
      throw ProgramError(prefix + error.what(), error.cause);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(prefix + error.what());
    }
  };
  return program;
}

} // namespace stickslip
