// Embeds the rows of a file in blocks, so that a large input is never in memory as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capi/program/embed.h"
#include "capi/program/progress.h"
#include "capi/program/rows.h"

namespace contrastive::cli {

// Selects the rows whose number modulo `count` is `index`.
struct RowShare {
  int64_t index = 0, count = 1;
};

struct EncodedRow {
  int64_t number = 0;  // in the input, from 0
  // As RowReader returns them; the first one is the text.
  const std::vector<std::string>* fields = nullptr;
  const float* embedding = nullptr;
  int32_t tokens = 0;  // before truncation
  bool truncated = false;
};

struct EncodeTotals {
  int64_t rows = 0;  // of the whole input
  int64_t texts = 0, tokens = 0, truncated = 0;
};

// Passes each row of the share to `sink`, in the order of the input. Reads the input to its end.
// Failures name the line of `input` that caused them.
EncodeTotals encode_rows(const std::string& input, RowReader& reader, const RowShare& share,
                         const Embedder& embedder, Progress& progress,
                         const std::function<void(const EncodedRow&)>& sink);

}  // namespace contrastive::cli
