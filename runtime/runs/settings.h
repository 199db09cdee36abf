// What a run was made with, as its folder says.
#pragma once

#include <map>
#include <string>

namespace stretto::runtime {

using Settings = std::map<std::string, std::string>;

// Every setting of a run by name: options of the program and what shaped it (batch, dtype, target, ...) as they are,
// "task.x" and "model.x", and as "spec" and "stage" (where it was compiled from one) some digits of a hash of their
// texts; from the files of its folder, as far as they are there. Throws Error where a file makes no sense.
Settings readSettings(const std::string &folder);

// The same; of what was changed at resumes all values that steps were made with: "0.001, 0.01 from step 21". Of the
// number of steps the last, where the learning rate is constant: more of them are the same run, longer.
Settings readSettingsOverTime(const std::string &folder);

// The settings and the parameters of its task, "task.x", of which the run says that nobody gave them, with their
// values.
Settings readDefaults(const std::string &folder);

} // namespace stretto::runtime
