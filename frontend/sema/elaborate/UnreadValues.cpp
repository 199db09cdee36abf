// Values that nothing reads: warnings of a whole model.
#include "frontend/sema/elaborate/UnreadValues.h"

using namespace stretto;
using namespace stretto::frontend;

void UnreadValues::note(const FunctionBuilder &built) {
  built.eachNamed([&](const ValueInfo &info, bool isRead) {
    Key key(info.range.file, info.range.begin, info.name);
    places.try_emplace(key, Place{info.range}).first->second.isRead |= isRead;
  });
}

void UnreadValues::warn(Reporter &reporter) const {
  for (const auto &[key, place] : places)
    if (!place.isRead)
      warnOfUnread(reporter, place.range, std::get<std::string>(key));
}

void frontend::warnOfUnread(Reporter &reporter, SourceRange range, llvm::StringRef name) {
  reporter.warning(range, "nothing reads this value of '" + name + "'");
}
