// Ops as the user knows them.
#include "runtime/core/op_name.h"

#include <fmt/format.h>

namespace stretto {
namespace {

struct Name {
  std::string operator()(const LaunchOp &op) const { return fmt::format("kernel '{}'", op.kernel->name); }
  std::string operator()(const MatmulOp &op) const { return fmt::format("product {} x {} x {}", op.m, op.n, op.k); }
  std::string operator()(const AttentionOp &) const { return "attention"; }
  std::string operator()(const AttentionGradOp &) const { return "attention backward"; }
  std::string operator()(const EmbedOp &) const { return "embedding"; }
  std::string operator()(const EmbedGradOp &) const { return "embedding backward"; }
  std::string operator()(const WriteCacheOp &) const { return "storing in a cache"; }
  std::string operator()(const ReadCacheOp &) const { return "reading of a cache"; }
  std::string operator()(const LastRowOp &) const { return "choice of the last rows"; }
  std::string operator()(const AttentionStepOp &) const { return "attention of a step"; }
  std::string operator()(const ZeroOp &op) const { return fmt::format("clearing of {} bytes", op.bytes); }
  std::string operator()(const CopyOp &) const { return "copy on the device"; }
  std::string operator()(const CopyInOp &) const { return "copy to the device"; }
  std::string operator()(const CopyOutOp &) const { return "copy from the device"; }
  std::string operator()(const ReserveOp &) const { return "preparation"; }
};

} // namespace

std::string describeOp(const Op &op, const CallSite &at) {
  std::string text = std::visit(Name{}, op);
  const char *location = "";
  if (at.site && at.site->count > 0)
    location = at.site->results[0].location;
  else if (const auto *launch = std::get_if<LaunchOp>(&op))
    location = launch->kernel->location;
  if (*location)
    text += fmt::format(" ({})", location);
  return text;
}

} // namespace stretto
