// A fault of the run that ends all ranks: what is told, and how processes end.
#pragma once

#include "runtime/core/error.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace stretto::runtime {

struct Fault {
  // EX_TEMPFAIL where the run can go on from its last checkpoint as it is; else 1.
  int status = 1;
  std::string text;
};

// The process that holds the store is lost. Another start may succeed.
struct LostStore : Error {
  using Error::Error;
};

// What is told where that process is gone, or gives no answer; `holder`: its name.
std::string storeGone(const std::string &holder);
std::string storeSilent(const std::string &holder, std::chrono::milliseconds time);

// Where the store keeps the first one, and for how long others may read it where the store goes with this process.
inline constexpr const char *faultKey = "fault";
inline constexpr std::chrono::milliseconds readingTime(700);

// As the store keeps it, and back; nothing for what is none.
std::string writeFault(const Fault &fault);
std::optional<Fault> readFault(std::string_view text);

} // namespace stretto::runtime
