//===- Shape.h - what a model is compiled for ---------------------------------===//
#pragma once

#include "tools/stretto-compile/Options.h"

namespace stretto::tools {

struct TokenShape {
  int64_t batch = 0, length = 0, vocabulary = 0;
  int64_t documents = 0; // that a sequence holds at most; 0: not known
  bool writes = false;   // whether the task is judged by what models write
  // Coefficients of terms of the loss; nothing where nobody names one.
  std::optional<double> nllSquare = std::nullopt, zLoss = std::nullopt;
};

/// Batch, length, vocabulary and loss: of the task (asked from stretto-data beside this program), then the command
/// line. Without a task and without options: 8 sequences of 256 tokens. On failure fills `error`, which is empty where
/// the other program has said what is wrong.
std::optional<TokenShape> resolveShape(const CommandLine &line, std::string &error);

/// The path of the folder this program lies in.
std::string programFolder();

/// The folder of the models that come with Stretto; specs import from it where they find nothing nearer.
std::string modelsFolder();

} // namespace stretto::tools
