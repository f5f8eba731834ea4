// The answer to a request: a status, a body and some headers. A Refusal is an exception that
// becomes an error answer in the form that OpenAI's clients read.
#pragma once

#include <cstdint>
#include <ctime>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "capi/program/terminal.h"

namespace contrastive::cli::serve {

struct Answer {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
};

// Thrown if a request cannot be served. The message is one sentence that says what is wrong and
// what to do.
struct Refusal : std::exception {
  Refusal(int status, std::string code, std::string message, std::string param = "")
      : status(status), code(std::move(code)), message(std::move(message)),
        param(std::move(param)) {}
  const char* what() const noexcept override { return message.c_str(); }
  Refusal& after(int seconds) {
    retry_after = seconds;
    return *this;
  }
  Refusal& allowing(std::string methods) {
    allow = std::move(methods);
    return *this;
  }

  int status;
  std::string code, message;
  std::string param;    // the field that caused it, or ""
  int retry_after = 0;  // seconds; 0: no such header
  std::string allow;    // the methods of the path, for 405
};

Answer answer_of(const Refusal& refusal);  // {"error": {"message", "type", "param", "code"}}
Answer answer_of(const Json& document);
// The answer for the current exception: that of a Refusal; 422 if the library refuses a text, 503
// if memory ran out, and 500 for everything else.
Answer answer_of_current_exception();

Refusal body_too_long(int64_t limit);

// "Sun, 06 Nov 1994 08:49:37 GMT", for header Date.
std::string http_date(std::time_t time);

constexpr int64_t kFloatChars = 16;   // most characters that append_floats writes for a number
constexpr int64_t kBase64Chars = 6;   // most characters that append_base64 writes for a number
constexpr int64_t kQuotedChars = 6;   // most characters that quoted() writes for a byte
constexpr int64_t kFrameChars = 256;  // of an answer or a row, in addition to numbers and texts
// Appends a number as JSON, in the shortest form that parses to the same float. null if it is not
// finite.
void append_float(std::string& text, float value);
// "[0.25,-1]"
void append_floats(std::string& text, const float* values, size_t count);
// Appends numbers in OpenAI's form "base64": little-endian float32, one after the other.
void append_base64(std::string& text, const float* values, size_t count);
std::string quoted(const std::string& text);  // as a JSON string, ASCII

}  // namespace contrastive::cli::serve
