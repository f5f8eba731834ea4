// The held-out file by which a trainer chooses its best weights: scored sentence pairs, or pairs of texts to be found again.
#pragma once

#include <memory>
#include <string>

#include "core/base/cancel.h"
#include "core/eval/text_encoder.h"
#include "core/train/train_options.h"

namespace contrastive::train {

class DevSet {
 public:
  virtual ~DevSet() = default;
  // Higher is better; NaN when it is not defined (constant predictions). `cancel` is looked at between blocks of pairs; the encoder has its own.
  virtual double score(const eval::TextEncoder& encoder, const Cancel* cancel = nullptr) const = 0;
  virtual const char* measure() const = 0;  // "spearman" or "mrr"
};

// kNotFound, kFormat with file and line; kFormat too for a file that every model would score alike (one gold score throughout, fewer than two pairs):
// nothing could be chosen by it.
std::unique_ptr<DevSet> open_dev_set(const std::string& path, DevTask task);

}  // namespace contrastive::train
