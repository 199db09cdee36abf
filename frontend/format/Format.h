// Canonical layout.
#pragma once

#include "frontend/diagnostics/Diagnostics.h"

#include <optional>

namespace stretto::frontend {

/// The text of a file in canonical layout. Line breaks and comments stay where the writer put them (at most
/// one empty line in a row); indentation and the spaces within a line are fixed: two spaces per level, four
/// for a continued line and comments between such, one around operators, two between statements on one line and
/// before a comment.
/// Formatting twice gives the same text. Nothing if the text has syntax errors.
std::optional<std::string> formatFile(const SourceFiles &sources, uint32_t file, Diagnostics &diagnostics);

} // namespace stretto::frontend
