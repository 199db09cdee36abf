// Sequences of a task written to files.
#pragma once

#include "tools/data/print.h"

namespace stretto::tools {

// Writes sequences first .. first+rows-1 of a stream to a file that must not exist yet, by the end of its name:
//   .jsonl   a JSON object in each line, as printJson does
//   .tokens  a token file (tasks/tokens/token_file.h): the inputs of the sequences one after another, for the task
//            "tokens". What opens or ends a document is noted in it where one token always does; loss masks are lost.
// Returns whether the file says where documents begin. Throws TaskError for another ending, and where the file exists
// or cannot be written.
bool exportRows(const std::string &path, const runtime::Task &task, uint64_t seed, runtime::Stream stream,
                uint64_t first, int64_t rows, PrintOptions options);

} // namespace stretto::tools
