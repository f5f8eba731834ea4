// The runs in which ConSERT is compared with a plain PyTorch program: 20 updates each, on batches
// from the caller. consert_dump prints everything random about them, consert.py trains with it and
// writes the golden files, and consert_golden_test.cpp compares its own training with them.
#pragma once

#include <string>
#include <vector>

#include "core/data/example.h"
#include "tests/golden/methods/dumped_run.h"

namespace contrastive::golden {

constexpr const char* kEveryRun =
    R"({"method": "consert", "consert.dropout": false, "max_steps": 20, "lr": 1e-3, "seed": 5})";
constexpr Run kRuns[] = {
    {"unsup", "bert_st",
     R"({"lr": 5e-4, "consert.view1": "feature-cutoff", "consert.view2": "shuffle+token-cutoff"})"},
    {"roberta", "roberta_sharded",
     R"({"consert.view1": "span-cutoff", "consert.cutoff_rate1": 0.3, "consert.view2": "shuffle",
      "consert.reduction": "sum"})"},
    {"sup", "bert_gamma",
     R"({"consert.mode": "sup", "consert.nli_features": ["uv", "absdiff", "mul"]})"},
    {"joint", "bert_gamma",
     R"({"consert.mode": "joint", "consert.view1": "none", "consert.view2": "adversarial", "consert.fgv_eps": 0.5,
      "consert.nli_features": ["uv", "absdiff", "maxsq"]})"},
    {"merged", "bert_gamma",
     R"({"consert.mode": "joint", "consert.view1": "dropout", "consert.view2": "shuffle", "consert.joint_cl": "merged",
      "consert.temperature": 0.2, "consert.alpha": 0.5, "consert.reduction": "two-sided"})"},
    {"side-mean", "bert_gamma",
     R"({"consert.mode": "joint", "consert.view1": "none", "consert.view2": "token-cutoff", "consert.cutoff_rate2": 0.25,
      "consert.joint_cl": "per-side-mean"})"},
};

inline Config config_of(const Run& run) { return merged(kEveryRun, run); }

inline std::vector<data::Example> batch_of_update(const Run& run, int64_t update) {
  const bool pairs = std::string(run.config).find("\"consert.mode\"") != std::string::npos;
  std::vector<data::Example> examples;
  for (int64_t i = 0; i < kBatchSize; ++i) {
    Rng rng(17, Purpose::kShuffle, static_cast<uint64_t>(update), static_cast<uint64_t>(i));
    data::Example example;
    example.a = text(rng, 2 + rng.below(9));
    if (pairs) {
      example.b = text(rng, 2 + rng.below(9));
      example.has_b = true;
      example.label = static_cast<double>(rng.below(3));
    }
    examples.push_back(example);
  }
  return examples;
}

}  // namespace contrastive::golden
