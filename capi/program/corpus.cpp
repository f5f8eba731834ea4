#include "capi/program/corpus.h"

#include <algorithm>

#include "capi/program/failure.h"
#include "capi/program/progress.h"
#include "capi/program/texts_digest.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kCorpusBlockTexts = 2048;
constexpr int64_t kProbes = 16;
// The least cosine between a stored vector and one that is computed again. With all-MiniLM-L6-v2
// the worst of 3,600 texts has a cosine of 0.9968 between int8 and float32, and of 0.9999 between
// bfloat16 and float32 (`encode --precision`).
constexpr float kLeastLikeness = 0.99F;

// Embeds a sample of the texts again: vectors of another model, another prompt or other texts have
// other directions.
void check_vectors(const Corpus& corpus, const Embedder& embedder, const std::string& path) {
  const auto count = static_cast<int64_t>(corpus.texts.size()), probes = std::min(count, kProbes),
             width = corpus.vectors.columns;
  const auto row = [&](int64_t probe) {
    return probes == 1 ? 0 : probe * (count - 1) / (probes - 1);
  };
  TextBlock block;
  for (int64_t probe = 0; probe < probes; ++probe)
    block.add(corpus.texts[static_cast<size_t>(row(probe))]);
  const std::vector<float> embedded = embedder.embed(block);
  for (int64_t probe = 0; probe < probes; ++probe) {
    float likeness = 0;
    Outcome outcome;
    cs_similarity(&embedded[static_cast<size_t>(probe * width)], 1,
                  &corpus.vectors.values[static_cast<size_t>(row(probe) * width)], 1, width,
                  CS_METRIC_COSINE, &likeness, 1, outcome);
    outcome.check();
    if (likeness >= kLeastLikeness) continue;
    throw Failure(kExitData, "MISMATCH",
                  "vector " + std::to_string(row(probe)) +
                      " (from 0) is not what this model gives for its text: another model or other "
                      "options computed the file, or other texts",
                  "embed the corpus again, or leave --embeddings out")
        .at(path);
  }
}

}  // namespace

Corpus read_corpus(const std::string& path, const RowOptions& rows, const std::string& embeddings,
                   const Embedder& embedder, bool show_progress) {
  Corpus corpus;
  RowReader reader(path, rows);
  Progress progress("reading the corpus", "texts", show_progress);
  TextsDigest digest;
  TextBlock block;
  std::vector<std::string> row;
  const bool compute = embeddings.empty();
  for (bool more = true; more;) {
    block.clear();
    while (block.size() < kCorpusBlockTexts && (more = reader.next(row))) {
      corpus.texts.push_back(row[0]);
      digest.add(row[0]);
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
    if (corpus.vectors.columns != embedder.dimension() ||
        corpus.vectors.rows != static_cast<int64_t>(corpus.texts.size())) {
      const std::string found = std::to_string(corpus.vectors.rows) + " vectors of " +
                                std::to_string(corpus.vectors.columns) + " dimensions";
      const std::string needed =
          std::to_string(corpus.texts.size()) + " of " + std::to_string(embedder.dimension());
      throw Failure(kExitData, "MISMATCH",
                    "the corpus and the model need " + needed + ", the file has " + found)
          .at(embeddings);
    }
    digest.check_against(embeddings);
    check_vectors(corpus, embedder, embeddings);
  }
  return corpus;
}

}  // namespace contrastive::cli
