// How each language loads a model, as the last part of its card: the first lines of the packages'
// READMEs, for a folder and a width.
#pragma once

#include <cstdint>
#include <string>

namespace contrastive::io {

// Markdown. `dimension`: of the model's embeddings.
std::string loading_examples(int64_t dimension);
// Of a reranker.
std::string reranker_examples();

}  // namespace contrastive::io
