// Checks that a call is refused.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "core/base/error.h"

namespace contrastive::run {

// `call` must throw an Error with `status` and a message that contains `part`.
template <class Call>
void refused(Status status, const std::string& part, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.message();
    EXPECT_THAT(error.message(), ::testing::HasSubstr(part));
  }
}

}  // namespace contrastive::run
