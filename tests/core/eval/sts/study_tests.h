// Files and an encoder for the studies of STS.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/fixtures_folder.h"
#include "tests/test_device.h"

namespace contrastive::eval {

class StsStudy : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Json& pair : golden_["pairs"]) {
      bytes_ += pair[0].dump() + "\t" + pair[1].get<std::string>() + "\t" +
                pair[2].get<std::string>() + "\n";
    }
    data_ = folder_.write("pairs.tsv", bytes_);
  }
  Json run(const std::string& task,
           std::initializer_list<std::pair<std::string, std::string>> entries = {}) const {
    Config config;
    config.set("data", data_);
    for (const auto& [key, value] : entries) config.set(key, value);
    return evaluate(*model_, task, config, nullptr);
  }
  static void expect_near(const Json& got, const Json& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].is_null(), expected[i].is_null()) << i;
      if (got[i].is_null()) continue;
      EXPECT_NEAR(got[i].get<double>(), expected[i].get<double>(), 1e-5) << i;
    }
  }

  const Json& golden_ = fixture("sts_golden.json")["study"];
  std::shared_ptr<model::SentenceEncoder> model_ =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  const TemporaryFolder folder_;
  std::string bytes_, data_;
};

}  // namespace contrastive::eval
