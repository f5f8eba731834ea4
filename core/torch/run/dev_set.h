// The held-out file by which a trainer chooses its best weights: scored sentence pairs, or pairs of
// texts for retrieval. For rerankers see pair_dev_set.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/eval/pair_scorer.h"
#include "core/eval/text_encoder.h"
#include "core/torch/methods/registry.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

using eval::PairScorer;  // of a trainer, it gives logits

// The measured model, which gives vectors of texts, or scores of pairs.
class DevSubject {
 public:
  DevSubject(eval::TextEncoder encoder)
      : encoder_(std::move(encoder)) {}  // NOLINT(google-explicit-constructor)
  DevSubject(PairScorer scorer)
      : scorer_(std::move(scorer)) {}  // NOLINT(google-explicit-constructor)
  const eval::TextEncoder& encoder() const { return encoder_.value(); }
  const PairScorer& pairs() const { return scorer_.value(); }

 private:
  std::optional<eval::TextEncoder> encoder_;
  std::optional<PairScorer> scorer_;
};

class DevSet {
 public:
  virtual ~DevSet() = default;
  // Higher is better; NaN if it is not defined (constant predictions). `cancel` is polled between
  // blocks of pairs; the encoder has its own.
  virtual double score(const DevSubject& subject, const Cancel* cancel = nullptr) const = 0;
  virtual const char* measure() const = 0;  // "spearman", "mrr", "accuracy" or "ndcg@10"
};

// Throws kNotFound, or kFormat with file and line. A file that cannot distinguish models (all gold
// scores equal, or fewer than two pairs) is kFormat too. `gives`: the output of the measured model.
std::unique_ptr<DevSet> open_dev_set(const std::string& path, DevTask task,
                                     methods::Gives gives = methods::Gives::kVectors);

}  // namespace contrastive::run
