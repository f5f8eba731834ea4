// The output file of a task.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/file.h"

namespace contrastive::eval {

// Call before measuring: kArgument if config key 'output' names the file that is read.
inline void check_output(const std::string& output, const std::string& input) {
  check(output.empty() || !is_same_file(output, input), Status::kArgument,
        "config key 'output' is '", output, "', which the task reads: name another file");
}

}  // namespace contrastive::eval
