#include "capi/cli/corpus.h"

#include "capi/cli/failure.h"
#include "capi/cli/progress.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kCorpusBlockTexts = 2048;

}  // namespace

Corpus read_corpus(const std::string& path, const RowOptions& rows, const std::string& embeddings, const Embedder& embedder, bool show_progress) {
  Corpus corpus;
  RowReader reader(path, rows);
  Progress progress("reading the corpus", "texts", show_progress);
  TextBlock block;
  std::vector<std::string> row;
  const bool compute = embeddings.empty();
  for (bool more = true; more;) {
    block.clear();
    while (block.size() < kCorpusBlockTexts && (more = reader.next(row))) {
      corpus.texts.push_back(row[0]);
      block.add(row[0]);
    }
    if (!compute) continue;
    const std::vector<float> embedded = embedder.embed(block);
    corpus.vectors.values.insert(corpus.vectors.values.end(), embedded.begin(), embedded.end());
    progress.update(static_cast<int64_t>(corpus.texts.size()), reader.fraction());
  }
  if (corpus.texts.empty()) throw Failure(kExitData, "FORMAT", "the corpus is empty").at(path);
  if (!compute) {
    corpus.vectors = read_npy(embeddings);
    if (corpus.vectors.columns != embedder.dimension() || corpus.vectors.rows != static_cast<int64_t>(corpus.texts.size())) {
      const std::string found = std::to_string(corpus.vectors.rows) + " vectors of " + std::to_string(corpus.vectors.columns) + " dimensions";
      const std::string needed = std::to_string(corpus.texts.size()) + " of " + std::to_string(embedder.dimension());
      throw Failure(kExitData, "MISMATCH", "the corpus and the model need " + needed + ", the file has " + found).at(embeddings);
    }
  }
  return corpus;
}

}  // namespace contrastive::cli
