// The texts that a search goes through, and their vectors.
#pragma once

#include <string>
#include <vector>

#include "capi/program/embed.h"
#include "capi/program/npy.h"
#include "capi/program/rows.h"

namespace contrastive::cli {

struct Corpus {
  std::vector<std::string> texts;
  Matrix vectors;
};

// The texts of `path`, and their vectors: from `embeddings` (.npy) where they were computed before,
// else, where it is "", from the model. kExitData where there is no text, or the vectors are not
// those of these texts and this model: the digest beside them (texts_digest.h) tells, and some are
// computed again to see. Looks at the signals between two blocks.
Corpus read_corpus(const std::string& path, const RowOptions& rows, const std::string& embeddings,
                   const Embedder& embedder, bool show_progress);

}  // namespace contrastive::cli
