// A small encoder and keys, for tasks by name.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "core/model/sentence_encoder.h"
#include "tests/fixtures_folder.h"
#include "tests/test_device.h"

namespace contrastive::eval {

inline const model::SentenceEncoder& encoder() {
  static const auto loaded =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  return *loaded;
}

inline Config config(std::initializer_list<std::pair<std::string, std::string>> entries) {
  Config result;
  for (const auto& [key, value] : entries) result.set(key, value);
  return result;
}

}  // namespace contrastive::eval
