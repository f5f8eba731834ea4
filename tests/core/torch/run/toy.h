// A tiny model and pairs of texts that belong together, for runs of a few updates.
#pragma once

#include <memory>
#include <string>

#include "core/data/dataset.h"
#include "core/model/sentence_encoder.h"
#include "core/torch/run/training_run.h"
#include "tests/test_device.h"
#include "tests/fixtures_folder.h"

namespace contrastive {

inline std::shared_ptr<model::SentenceEncoder> tiny_model() {
  return model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
}

// `n` pairs; each second text has the words of the first in another order, and one more.
inline std::shared_ptr<data::Dataset> toy_pairs(int64_t n) {
  const auto data = data::make_dataset();
  for (int64_t i = 0; i < n; ++i) {
    const std::string one(1, static_cast<char>('a' + i % 26)),
        two(1, static_cast<char>('a' + (i / 26 * 7 + 3 * i) % 26));
    data::Example example;
    example.a = one + one + " " + two + " " + std::to_string(i);
    example.b = two + " " + std::to_string(i) + " " + one + one + " the";
    example.has_b = true;
    data->add(example);
  }
  return data;
}

inline Config toy_config(const std::string& more = "{}", const std::string& method = "clsr") {
  Config config = Config::parse(
      R"({"batch_size": 8, "max_steps": 20, "lr": 0.01, "optimizer": "adamw", "warmup_steps": 2, "weight_decay": 0.01})");
  config.set("method", method);
  config.merge(Config::parse(more));
  if (method == "clsr" &&
      !config.has("clsr.encoder_init")) {  // the paper's 768 dimensions would only be slower
    config.merge(Config::parse(R"({"clsr.hidden": 16, "clsr.dimension": 16})"));
  }
  return config;
}

inline std::unique_ptr<run::TrainingRun> toy_trainer(const std::string& more = "{}",
                                                     int64_t pairs = 50) {
  return std::make_unique<run::TrainingRun>(tiny_model(), toy_pairs(pairs), toy_config(more));
}

// Steps to the end.
inline void finish(run::TrainingRun& trainer) {
  while (trainer.step() == Status::kOk) {
  }
}

}  // namespace contrastive
