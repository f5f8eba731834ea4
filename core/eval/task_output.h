// The file that a task writes for its user.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/file.h"

namespace contrastive::eval {

// Before anything is measured: kArgument where the file that config key 'output' names is the one
// that is read.
inline void check_output(const std::string& output, const std::string& input) {
  check(output.empty() || !is_same_file(output, input), Status::kArgument,
        "config key 'output' is '", output, "', which the task reads: name another file");
}

}  // namespace contrastive::eval
