// How a verb fails: an exception with the exit code, the message, and the position in the input.
#pragma once

#include <contrastive/contrastive.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace contrastive::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,       // anything without a separate number
  kExitUsage = 2,         // the command line or a config value
  kExitData = 3,          // input data or a model's files are malformed
  kExitFiles = 4,         // not found, or the operating system refused a read or write
  kExitMemory = 5,        // host or device memory, or the device itself
  kExitNumeric = 6,       // NaN or infinity
  kExitRows = 7,          // finished, but rows were skipped (--strict-rows)
  kExitCheck = 8,         // a check failed (eval --min, doctor)
  kExitNotInstalled = 9,  // the training plugin or LibTorch is missing
  kExitNotBetter = 10,    // adapt: the model did not get better, and no model was written
  kExitBrokenPipe = 141   // the reader of stdout has closed it
};

// The exit code for a status of the library.
int exit_code_of(cs_status status);

struct Failure : std::exception {
  Failure(int exit_code, std::string code, std::string message, std::string hint = "")
      : exit_code(exit_code), code(std::move(code)), message(std::move(message)),
        hint(std::move(hint)) {}
  const char* what() const noexcept override { return message.c_str(); }

  Failure& at(std::string where, int64_t row = 0) {
    file = std::move(where);
    line = row;
    return *this;
  }

  int exit_code;
  std::string code;     // a status name ("FORMAT"), or "USAGE", "CHECK"
  std::string message;  // without file and line
  std::string hint;     // what to do; "" for nothing beyond the message
  std::string file;     // the file that caused it, or ""
  int64_t line = 0;     // the line that caused it, or 0
};

Failure usage_failure(std::string message, std::string hint = "");
// The failure for an errno: kExitFiles, or a silent kExitBrokenPipe.
Failure system_failure(const std::string& action, const std::string& path, int error_number);

// Runs `work`, and turns an Error of the library's code into a Failure.
template <class Work>
auto told(Work work) {
  try {
    return work();
  } catch (const contrastive::Error& error) {
    const auto status = static_cast<cs_status>(error.status());
    throw Failure(exit_code_of(status), cs_status_name(status), error.message());
  }
}

// Prints a failure to stderr: `contrastive: FILE:LINE: message (hint)`, or a JSON document.
void print_failure(const Failure& failure, bool json);

// Collects the error of one library call:
//
//     Outcome outcome;
//     auto m = cs_model_load(p, c, outcome);
//     outcome.check();
class Outcome {
 public:
  Outcome() = default;
  ~Outcome() { cs_error_free(error_); }
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;
  operator cs_error**() { return &error_; }
  void check();  // throws the error as a Failure, if there is one

 private:
  cs_error* error_ = nullptr;
};

}  // namespace contrastive::cli
