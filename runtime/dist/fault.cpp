// A fault of the run that ends all ranks: what is told.
#include "runtime/dist/fault.h"

#include "runtime/core/whole_number.h"

#include <fmt/format.h>

namespace stretto::runtime {

std::string storeGone(const std::string &holder) { return holder + ", which holds the store, is gone"; }

std::string storeSilent(const std::string &holder, std::chrono::milliseconds time) {
  return fmt::format("{}, which holds the store, gave no answer for {} s", holder,
                     std::chrono::duration<double>(time).count());
}

std::string writeFault(const Fault &fault) { return std::to_string(fault.status) + " " + fault.text; }

std::optional<Fault> readFault(std::string_view text) {
  const size_t space = text.find(' ');
  int64_t status = 0;
  if (space == text.npos || !parseWholeNumber(std::string(text.substr(0, space)), status) || status < 1 || status > 255)
    return std::nullopt;
  return Fault{static_cast<int>(status), std::string(text.substr(space + 1))};
}

} // namespace stretto::runtime
