#include "flow/options.hpp"

#include <string>
#include <type_traits>

namespace stickslip {

void check(const Options& options) {
  each_setting(options, [](const auto& setting, const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, Vector>)
      for (Index i = 0; i < value.size(); ++i)
        setting.check(std::string(setting.name) + "[" + std::to_string(i) + "]", value(i));
    else if constexpr (std::is_arithmetic_v<Value>)
      setting.check(setting.name, static_cast<double>(value));
  });
}

} // namespace stickslip
