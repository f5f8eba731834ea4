// The last part of a model card: how each language loads the model. These are the first lines of
// the packages' READMEs, for a given folder and width.
#pragma once

#include <cstdint>
#include <string>

namespace contrastive::io {

// Markdown. `dimension`: of the model's embeddings.
std::string loading_examples(int64_t dimension);
// For a reranker.
std::string reranker_examples();

}  // namespace contrastive::io
