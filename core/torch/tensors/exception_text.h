// The message of an exception in one line: LibTorch's messages include a stack trace.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <string>

namespace contrastive::tensors {

inline std::string first_line(const std::exception& exception) {
  const auto* error = dynamic_cast<const c10::Error*>(&exception);
  const std::string text = error != nullptr ? error->what_without_backtrace() : exception.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace contrastive::tensors
