// This process, and others.
#pragma once

#include <cstdint>
#include <string>

namespace contrastive::system {

int64_t process_number() noexcept;
// Whether a process of this number is running, as far as this process can tell: true if it may not
// ask.
bool is_running(int64_t process) noexcept;
// The folder for temporary files: TMPDIR, otherwise /tmp; on Windows that of GetTempPath.
std::string temporary_folder();
// The value of an environment variable; "" if it is not set, and in a setuid program.
std::string trusted_variable(const char* name);

}  // namespace contrastive::system
