// The way in which a C++ test expects an Error: its status, and a part of its message.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/base/error.h"

namespace contrastive {

// `action` must throw an Error with `status` and with `part` in its message, which is returned for
// further checks. A failure names the caller's line.
inline std::string expect_error(Status status, const std::string& part,
                                const std::function<void()>& action,
                                const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const testing::ScopedTrace caller(file, line, "expect_error");
  try {
    action();
  } catch (const Error& error) {
    EXPECT_FALSE(part.empty()) << error.message();
    EXPECT_EQ(error.status(), status) << error.message();
    EXPECT_THAT(error.message(), testing::HasSubstr(part));
    return error.message();
  }
  ADD_FAILURE() << "no error, where one about '" << part << "' is expected";
  return "";
}

}  // namespace contrastive
