// Files of examples, opened or refused.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/data/dataset.h"

namespace contrastive::data {

inline std::shared_ptr<Dataset> open(const std::string& path, const std::string& json = "{}") {
  return open_dataset(path, Config::parse(json));
}

inline void expect_error(Status status, const std::string& part, const std::string& path,
                         const std::string& json = "{}") {
  try {
    open(path, json);
    FAIL() << "accepted; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.message();
    EXPECT_THAT(error.message(), testing::HasSubstr(part));
  }
}

}  // namespace contrastive::data
