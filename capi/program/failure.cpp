#include "capi/program/failure.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

namespace contrastive::cli {

int exit_code_of(cs_status status) {
  switch (status) {
    case CS_ERROR_ARGUMENT: return kExitUsage;
    case CS_ERROR_FORMAT:
    case CS_ERROR_UNSUPPORTED:
    case CS_ERROR_LIMIT:
    case CS_ERROR_MISMATCH:
    case CS_ERROR_CORRUPT: return kExitData;
    case CS_ERROR_NOT_FOUND:
    case CS_ERROR_IO:
    case CS_ERROR_NO_SPACE: return kExitFiles;
    case CS_ERROR_NO_MEMORY:
    case CS_ERROR_DEVICE: return kExitMemory;
    case CS_ERROR_NUMERIC: return kExitNumeric;
    default: return status >= 0 ? kExitOk : kExitFailure;
  }
}

Failure usage_failure(std::string message, std::string hint) {
  return {kExitUsage, "USAGE", std::move(message), std::move(hint)};
}

Failure system_failure(const std::string& action, const std::string& path, int error_number) {
  if (error_number == EPIPE) return {kExitBrokenPipe, "IO", "the reader of the output has gone"};
  const std::string name = path == "-" ? "standard input or output" : "'" + path + "'";
  const std::string code = error_number == ENOENT                             ? "NOT_FOUND"
                           : error_number == ENOSPC || error_number == EDQUOT ? "NO_SPACE"
                                                                              : "IO";
  return {kExitFiles, code, "cannot " + action + " " + name + ": " + std::strerror(error_number)};
}

void print_failure(const Failure& failure, bool json) {
  if (failure.exit_code == kExitBrokenPipe) return;  // silent, as if killed by SIGPIPE
  if (json) {
    nlohmann::ordered_json error = {{"code", failure.code}, {"message", failure.message}};
    if (!failure.hint.empty()) error["hint"] = failure.hint;
    if (!failure.file.empty()) error["file"] = failure.file;
    if (failure.line > 0) error["line"] = failure.line;
    const nlohmann::ordered_json document = {{"error", std::move(error)}};
    std::fprintf(
        stderr, "%s\n",
        document.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace).c_str());
    return;
  }
  std::string line = "contrastive: ";
  if (!failure.file.empty())
    line += failure.file + ":" + (failure.line > 0 ? std::to_string(failure.line) + ":" : "") + " ";
  line += failure.message;
  if (!failure.hint.empty()) line += "\n  " + failure.hint;
  std::fprintf(stderr, "%s\n", line.c_str());
}

namespace {

// The library's error for a line of a file begins with its position, "pairs.tsv:3: ...". Splits it
// off for --json.
Failure with_place(Failure failure) {
  const std::string& text = failure.message;
  for (size_t colon = text.find(':'); colon != std::string::npos;
       colon = text.find(':', colon + 1)) {
    const size_t end = text.find_first_not_of("0123456789", colon + 1);
    const bool number = end != std::string::npos && end > colon + 1 && end < colon + 18 &&
                        text.compare(end, 2, ": ") == 0;
    if (!number) continue;
    failure.at(text.substr(0, colon), std::stoll(text.substr(colon + 1, end - colon - 1)));
    failure.message = text.substr(end + 2);
    break;
  }
  return failure;
}

// True if the call failed because the training plugin or LibTorch is missing. Then the message ends
// with the library's reason.
bool lacks_plugin(const std::string& message) {
  const std::unique_ptr<char, void (*)(char*)> text(cs_build_info(nullptr), cs_string_free);
  if (text == nullptr) return false;
  const std::string reason = nlohmann::json::parse(text.get()).value("libtorch_reason", "");
  // The message without its subject, which is the call that needs the plugin.
  const auto said = [](const std::string& whole) {
    return whole.substr(std::min(whole.find(" needs "), whole.size()));
  };
  // What the call has to add may follow.
  return !said(reason).empty() && said(message).rfind(said(reason), 0) == 0;
}

}  // namespace

void Outcome::check() {
  if (error_ == nullptr) return;
  const cs_status status = cs_error_status(error_);
  const Failure failure(exit_code_of(status), cs_status_name(status), cs_error_message(error_));
  if (failure.exit_code != kExitData) throw failure;
  const bool may_lack = status == CS_ERROR_UNSUPPORTED || status == CS_ERROR_MISMATCH;
  if (may_lack && lacks_plugin(failure.message))
    throw Failure(kExitNotInstalled, failure.code, failure.message);
  throw with_place(failure);
}

}  // namespace contrastive::cli
