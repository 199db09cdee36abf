// Completion of command lines in shells.
#pragma once

#include <span>
#include <string>

namespace stretto::tools {

// The text to put into the shell's start-up file, for "bash", "zsh" or "fish". It completes the commands, and the
// options of a command from the text of `stretto help <command>`, so it need not be renewed when options change.
// Throws CommandError for another shell.
std::string completionScript(const std::string &shell, std::span<const std::string> commands);

} // namespace stretto::tools
