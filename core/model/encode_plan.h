// What one encode call will do: the caller's options resolved against the model. Made once a call;
// wrong options fail here, before any work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/encoder/encoder.h"
#include "core/encoder/pooling.h"
#include "core/io/model_folder.h"

namespace contrastive::model {

struct EncodeOptions;

struct EncodePlan {
  std::vector<encoder::Pooling> poolings;  // side by side, in this order
  int64_t pooled_width = 0;                // numbers a text has after pooling
  int64_t dimension = 0;                   // and at the end
  bool normalize = false;
  bool normalize_cut = false;  // once more, what is left of a vector that is cut
  std::string prompt;          // put before every text
  int64_t unpooled_tokens =
      0;  // leading tokens of every text that pooling leaves out (the prompt's)
  std::vector<int32_t> excluded_ids;  // ids that pooling leaves out, sorted
  int64_t max_length = 0;             // ids a text may have
  int64_t batch_tokens = 0;           // 0: to be chosen
};

constexpr const char* kNoPooling = "the model folder states no pooling, and none is guessed: "
                                   "choose one with the key pooling (mean, cls, ...)";

// Ids of a text at most, where no option says otherwise.
int64_t own_max_length(const io::ModelFolder& folder, const encoder::Architecture& shape);

// kArgument for an unknown pooling or prompt name, and for a pooling, length or dimension that does
// not fit the model.
EncodePlan make_encode_plan(const io::ModelFolder& folder, const encoder::Encoder& encoder,
                            const EncodeOptions& options);

}  // namespace contrastive::model
