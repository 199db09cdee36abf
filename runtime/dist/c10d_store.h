// The store of c10d by which groups find each other. For sources that see its headers.
#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace stretto::runtime {

struct GroupStore {
  c10::intrusive_ptr<c10d::Store> store;
};

// How long a collective may take: one rank may keep the others waiting for as long as it has work. What goes wrong is
// found by the monitor, much sooner.
constexpr std::chrono::hours collectiveTimeout(24);

// The first line of what c10d says.
inline std::string reasonOf(const std::exception &error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

} // namespace stretto::runtime
