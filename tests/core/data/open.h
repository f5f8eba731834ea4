// Files of examples, opened or refused.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "tests/expect_error.h"

namespace contrastive::data {

inline std::shared_ptr<Dataset> open(const std::string& path, const std::string& json = "{}") {
  return open_dataset(path, Config::parse(json));
}

inline void expect_refused(Status status, const std::string& part, const std::string& path,
                           const std::string& json = "{}") {
  expect_error(status, part, [&] { open(path, json); });
}

}  // namespace contrastive::data
