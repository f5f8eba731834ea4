// The corpus of a search: its texts and their vectors.
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

// Reads the texts of `path`, and their vectors from `embeddings` (.npy). If `embeddings` is "", the
// model computes the vectors. kExitData if there are no texts, or if the vectors do not belong to
// these texts and this model. To check this, it compares the stored digest (texts_digest.h) and
// computes some vectors again. Checks for signals between blocks.
Corpus read_corpus(const std::string& path, const RowOptions& rows, const std::string& embeddings,
                   const Embedder& embedder, bool show_progress);

}  // namespace contrastive::cli
