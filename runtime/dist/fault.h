// A fault of the run that ends all ranks: what is told, and how processes end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stretto::runtime {

struct Fault {
  // EX_TEMPFAIL where the run can go on from its last checkpoint as it is; else 1.
  int status = 1;
  std::string text;
};

// Where the store keeps the first one.
inline constexpr const char *faultKey = "fault";

// As the store keeps it, and back; nothing for what is none.
std::string writeFault(const Fault &fault);
std::optional<Fault> readFault(std::string_view text);

} // namespace stretto::runtime
