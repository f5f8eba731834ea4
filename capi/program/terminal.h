// Standard input, output and error as the program finds them: closed ones, pipes, terminals; and
// the results that go to standard output.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace contrastive::cli {

using Json = nlohmann::ordered_json;

// To be called before any file is opened: a closed descriptor 0, 1 or 2 would be given to the next
// file. Closed ones become /dev/null, opened so that reading stdin or writing stdout fails, and
// messages to stderr vanish.
void settle_standard_streams();

// Writes all of it to a descriptor, over short writes and interruptions; a Failure naming `path`
// where it cannot.
void write_fully(int descriptor, const char* data, size_t bytes, const std::string& path);

// Results. Buffered; flush_stdout() before a normal end reports what could not be written.
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
// A number with so many digits after the point, a point in every locale.
std::string fixed(double number, int digits);

}  // namespace contrastive::cli
