// Standard input, output and error, which may be closed, pipes or terminals. Prints results to
// standard output.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace contrastive::cli {

using Json = nlohmann::ordered_json;

// Call this before any file is opened: otherwise the next file would get a closed descriptor 0, 1
// or 2. Replaces closed descriptors by /dev/null, opened so that reading stdin or writing stdout
// fails and messages to stderr are discarded.
void settle_standard_streams();

// Writes all bytes to a descriptor, despite short writes and interruptions. A Failure that names
// `path` on an error.
void write_fully(int descriptor, const char* data, size_t bytes, const std::string& path);

// Print results, buffered. flush_stdout() before a normal exit reports write errors.
void print(const std::string& text);
void print_line(const std::string& text);
void print_json(const Json& document);  // one line, ASCII
void flush_stdout();

// A line on standard error that begins with "warning: ", unless --quiet was given.
void print_warning(const std::string& message);
void set_quiet(bool quiet);

// 1234567 -> "1,234,567", in every locale.
std::string with_commas(int64_t number);
std::string counted(int64_t number, const std::string& noun);  // "1 text", "2,000 texts"
// A number with `digits` digits after the decimal point, which is "." in every locale.
std::string fixed(double number, int digits);

}  // namespace contrastive::cli
