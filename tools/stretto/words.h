// Options among the words of a command line, as "--name value" or "--name=value".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stretto::tools {

// The value of an option: the first one given, the last one given.
std::optional<std::string> firstValue(std::span<const std::string> words, const std::string &name);
std::optional<std::string> lastValue(std::span<const std::string> words, const std::string &name);

// All of them, in their order.
std::vector<std::string> allValues(std::span<const std::string> words, const std::string &name);

bool hasOption(std::span<const std::string> words, const std::string &name);

// The value of an option as a number in 1..most; throws CommandError where it is none.
int readCount(const std::string &option, const std::string &value, int most);

// A word a line.
std::vector<std::string> linesOf(const std::string &text);

// Takes an option out of the words each time it is there, with its values.
void dropOption(std::vector<std::string> &words, const std::string &name);

} // namespace stretto::tools
