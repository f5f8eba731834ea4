// The runs in which CLEAR is compared with a plain PyTorch program: 20 updates each, on batches
// from the caller. clear_dump prints everything random about them, clear.py trains with it and
// writes the golden files, and tests/core/torch/methods/clear/clear_golden_test.cpp compares its
// own training with them.
#pragma once

#include <string>
#include <vector>

#include "core/data/example.h"
#include "tests/golden/methods/dumped_run.h"

namespace contrastive::golden {

constexpr const char* kEveryRun =
    R"({"method": "clear", "clear.dropout": false, "clear.deliver_mlm_head": true, "max_steps": 20, "lr": 1e-3, "seed": 5,
  "warmup_steps": 4})";
constexpr Run kRuns[] = {
    {"del-word", "bert_st",
     R"({"clear.recipe": "del-word", "clear.del_prob": 0.4, "clear.head_dim": 24})"},
    {"roberta", "roberta_sharded",
     R"({"clear.recipe": "del-span+reorder", "clear.head": "simclr-mlp", "clear.head_dim": 20, "clear.reduction": "sum",
      "clear.contrastive_weight": 0.3, "clear.temperature": 0.2, "clear.decay_all": false})"},
    {"double-mlm", "bert_gamma",
     R"({"clear.objective": "double-mlm", "clear.mlm_special": "include"})"},
    {"new-del", "bert_gamma",
     R"({"clear.del_token": "new", "clear.head": "none", "clear.pooling": "mean", "clear.span_sampler": "gaussian"})"},
};

inline Config config_of(const Run& run) { return merged(kEveryRun, run); }

inline std::vector<data::Example> batch_of_update(int64_t update) {
  std::vector<data::Example> examples(kBatchSize);
  for (int64_t i = 0; i < kBatchSize; ++i) {
    Rng rng(23, Purpose::kShuffle, static_cast<uint64_t>(update), static_cast<uint64_t>(i));
    examples[static_cast<size_t>(i)].a = text(rng, 2 + rng.below(11));
  }
  return examples;
}

}  // namespace contrastive::golden
