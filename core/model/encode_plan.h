// A plan for one encode call: the caller's options resolved against the model. Making it reports
// wrong options before any work starts.
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
  std::vector<encoder::Pooling> poolings;  // concatenated in this order
  int64_t pooled_width = 0;                // numbers of a text after pooling
  int64_t dimension = 0;                   // numbers of a finished embedding
  bool normalize = false;
  bool normalize_cut = false;   // normalize again after truncating the dimensions
  std::string prompt;           // put before every text
  int64_t unpooled_tokens = 0;  // leading tokens of every text that pooling omits (the prompt)
  std::vector<int32_t> excluded_ids;  // ids that pooling omits, sorted
  int64_t max_length = 0;             // the most ids of a text
  int64_t batch_tokens = 0;           // 0 for automatic
};

constexpr const char* kNoPooling = "the model folder states no pooling, and none is guessed: "
                                   "choose one with the key pooling (mean, cls, ...)";

// The most ids of a text if no option sets max_length.
int64_t own_max_length(const io::ModelFolder& folder, const encoder::Architecture& shape);

// Throws kArgument for an unknown pooling or prompt name, and for a pooling, length or dimension
// that does not fit the model.
EncodePlan make_encode_plan(const io::ModelFolder& folder, const encoder::Encoder& encoder,
                            const EncodeOptions& options);

}  // namespace contrastive::model
