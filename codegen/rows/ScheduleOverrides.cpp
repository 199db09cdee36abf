//===- ScheduleOverrides.cpp - what a user asks of the schedules of kernels --===//
#include "codegen/rows/ScheduleOverrides.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

std::optional<ScheduleRequest> ScheduleRequest::read(StringRef text, std::string &error) {
  auto [pattern, rest] = text.split(':');
  ScheduleRequest request{text.str(), pattern.str(), {}, {}};
  SmallVector<StringRef> parts;
  rest.split(parts, ',');
  for (StringRef part : parts) {
    auto [field, number] = part.split('=');
    int64_t value = 0;
    if (pattern.empty() || field.empty() || field.size() == part.size() ||
        text.find_first_of("; \t'\"{}") != StringRef::npos)
      error = llvm::formatv("must look like PATTERN:FIELD=NUMBER,FIELD=NUMBER, but got '{0}'", text);
    else if (number.getAsInteger(10, value) || value < 1 || value > (1 << 20))
      error = llvm::formatv("must give whole numbers of 1 to {0}, but got '{1}' for {2}", 1 << 20, number, field);
    else if (llvm::any_of(request.numbers, [&, name = field](auto &known) { return known.first == name; }))
      error = llvm::formatv("must give each field once, but got {0} twice in '{1}'", field, text);
    if (!error.empty())
      return std::nullopt;
    request.numbers.push_back({field.str(), value});
  }
  auto kernels = llvm::GlobPattern::create(pattern);
  if (!kernels) {
    error = llvm::formatv("must begin with names of kernels, but got '{0}': {1}", pattern,
                          llvm::toString(kernels.takeError()));
    return std::nullopt;
  }
  request.kernels = std::move(*kernels);
  return request;
}

//===- One kernel ---------------------------------------------------------------===//

static StringRef nameOf(kern::RowKernel op) {
  StringAttr name = op.getKernelAttr();
  return name ? name.getValue() : "";
}

int64_t ScheduleOverride::get(StringRef field, int64_t otherwise) const {
  if (numbers.empty()) // mostly, and choices ask thousands of times
    return otherwise;
  auto found = numbers.find(field);
  return found == numbers.end() ? otherwise : found->second;
}

LogicalResult ScheduleOverride::check(StringRef field, bool holds, const Twine &expected) const {
  if (!has(field) || holds)
    return success();
  return emitError(kern::RowKernel(op).getLoc())
         << "kernel '" << nameOf(op) << "': " << field << " must be " << expected << ", but got " << get(field, 0);
}

void ScheduleOverride::remark(ArrayRef<std::pair<StringRef, int64_t>> schedule) const {
  if (empty())
    return;
  std::string texts[2]; // given, chosen
  for (auto [field, number] : schedule) {
    std::string &text = texts[!has(field)];
    text += llvm::formatv("{0}{1} {2}", text.empty() ? "" : ", ", field, number);
  }
  std::string text = llvm::formatv("given: {0}{1}{2}", texts[0], texts[1].empty() ? "" : "; chosen: ", texts[1]);
  remark::passed(kern::RowKernel(op).getLoc(),
                 remark::RemarkOpts::name("ScheduleOverride").category("schedule").function(nameOf(op)))
      << text;
}

//===- All kernels --------------------------------------------------------------===//

FailureOr<ScheduleOverrides> ScheduleOverrides::read(StringRef text, ArrayRef<StringRef> fields, Operation *root) {
  ScheduleOverrides overrides;
  Location loc = UnknownLoc::get(root->getContext()); // requests stand on a command line
  SmallVector<StringRef> parts;
  text.split(parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    std::string error;
    std::optional<ScheduleRequest> request = ScheduleRequest::read(part, error);
    if (!request)
      return emitError(loc) << "a schedule " << error;
    overrides.requests.push_back(std::move(*request));
  }
  if (failed(overrides.checkFields(fields, loc)) || failed(overrides.checkKernels(root, loc)))
    return failure();
  return overrides;
}

/// The names that are written most like `name`, the nearest first.
static SmallVector<StringRef> nearest(StringRef name, SmallVector<StringRef> known, size_t count) {
  llvm::stable_sort(known, [&](StringRef a, StringRef b) { return name.edit_distance(a) < name.edit_distance(b); });
  known.truncate(std::min(count, known.size()));
  return known;
}

/// Patterns that name all kernels, each those of one function.
static SmallVector<std::string> patternsOf(ArrayRef<StringRef> kernels) {
  llvm::SetVector<StringRef> functions;
  SmallVector<std::string> patterns;
  for (StringRef kernel : kernels)
    if (StringRef function = kernel.rsplit('.').first; functions.insert(function))
      patterns.push_back(function == kernel ? kernel.str() : function.str() + ".*");
  return patterns;
}

/// What a request that names no kernel could have named: where it is a pattern, any pattern; else the nearest names.
static std::string describeKernels(StringRef pattern, ArrayRef<StringRef> kernels) {
  if (kernels.empty())
    return ", and there is none";
  if (pattern.find_first_of("*?[") == StringRef::npos)
    return "; the nearest are " + llvm::join(nearest(pattern, SmallVector<StringRef>(kernels), 3), ", ");
  SmallVector<std::string> patterns = patternsOf(kernels);
  SmallVector<StringRef> known(patterns.begin(), patterns.end());
  return "; there are " + llvm::join(nearest(pattern, known, known.size()), ", ");
}

LogicalResult ScheduleOverrides::checkFields(ArrayRef<StringRef> fields, Location loc) const {
  for (const ScheduleRequest &request : requests)
    for (auto &[field, number] : request.numbers) {
      if (llvm::is_contained(fields, field))
        continue;
      StringRef name = field, like = nearest(name, SmallVector<StringRef>(fields), 1)[0];
      bool isLike = 2 * name.edit_distance(like) <= name.size();
      return emitError(loc) << "schedule '" << request.text << "': fields must be among " << llvm::join(fields, ", ")
                            << ", but got '" << name << "'" << (isLike ? "; did you mean '" + like.str() + "'?" : "");
    }
  return success();
}

LogicalResult ScheduleOverrides::checkKernels(Operation *root, Location loc) const {
  SmallVector<StringRef> names;
  bool isFixed = root->walk([&](kern::RowKernel op) {
                       names.push_back(nameOf(op));
                       if (!op.getSchedule() || of(op).empty())
                         return WalkResult::advance();
                       emitError(op.getLoc())
                           << "kernel '" << nameOf(op) << "' must have no schedule yet for another one to be given";
                       return WalkResult::interrupt();
                     })
                     .wasInterrupted();
  if (isFixed)
    return failure();
  for (const ScheduleRequest &request : requests)
    if (llvm::none_of(names, [&](StringRef name) { return request.kernels.match(name); }))
      return emitError(loc) << "schedule '" << request.text << "': no fused kernel is called '" << request.pattern
                            << "'" << describeKernels(request.pattern, names);
  return success();
}

ScheduleOverride ScheduleOverrides::of(kern::RowKernel op) const {
  ScheduleOverride given(op);
  for (const ScheduleRequest &request : requests)
    if (request.kernels.match(nameOf(op)))
      for (auto &[field, number] : request.numbers)
        given.set(field, number);
  return given;
}
