// Checks that something fails with a status and a message.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/base/error.h"

namespace contrastive::text {

inline void expect_error(Status status, const std::string& message_part,
                         const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "no error, where one about '" << message_part << "' is needed";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.message();
    EXPECT_THAT(error.message(), testing::HasSubstr(message_part));
  }
}

}  // namespace contrastive::text
