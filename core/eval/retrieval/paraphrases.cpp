#include "core/eval/retrieval/paraphrases.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/base/error.h"
#include "core/eval/figures.h"
#include "core/eval/finite.h"

namespace contrastive::eval {
namespace {

// Of two texts in either order; there are no more than 2^32 (mining.h).
uint64_t key_of(int64_t a, int64_t b) {
  return (static_cast<uint64_t>(std::min(a, b)) << 32) | static_cast<uint64_t>(std::max(a, b));
}

}  // namespace

Paraphrases::Paraphrases(int64_t texts, bool transitive)
    : transitive_(transitive), parents_(transitive ? texts : 0) {
  std::iota(parents_.begin(), parents_.end(), int64_t{0});
}

int64_t Paraphrases::root(int64_t text) const {
  while (parents_[text] != text) text = parents_[text] = parents_[parents_[text]];
  return text;
}

void Paraphrases::add(int64_t a, int64_t b) {
  if (a == b) return;
  if (transitive_) {
    parents_[root(a)] = root(b);
  } else {
    pairs_.insert(key_of(a, b));
  }
}

bool Paraphrases::contains(int64_t a, int64_t b) const {
  if (a == b) return false;
  return transitive_ ? root(a) == root(b) : pairs_.count(key_of(a, b)) > 0;
}

int64_t Paraphrases::count() const {
  if (!transitive_) return static_cast<int64_t>(pairs_.size());
  std::unordered_map<int64_t, int64_t> sizes;
  for (size_t text = 0; text < parents_.size(); ++text) ++sizes[root(static_cast<int64_t>(text))];
  int64_t count = 0;
  for (const auto& [tree, size] : sizes) count += size * (size - 1) / 2;
  return count;
}

void check_paraphrases(const ParaphraseData& data) {
  check(data.paraphrases.count() > 0, Status::kFormat,
        "paraphrases: none of the pairs of texts is a paraphrase: there is nothing to find");
}

ParaphrasesReport evaluate_paraphrases(const ParaphraseData& data, const TextEncoder& encoder,
                                       const SimilarPairOptions& options) {
  ParaphrasesReport report;
  report.texts = static_cast<int64_t>(data.texts.size());
  check_paraphrases(data);
  report.paraphrases = data.paraphrases.count();
  DistinctTexts distinct;
  std::vector<int64_t> rows;  // of each text among the distinct ones
  for (const std::string& text : data.texts) rows.push_back(distinct.add(text));
  std::vector<float> embeddings = distinct.encode(encoder);
  if (distinct.size() < report.texts) {  // the same text under several ids
    std::vector<float> all(rows.size() * static_cast<size_t>(encoder.dimension));
    for (size_t i = 0; i < rows.size(); ++i)
      std::copy_n(&embeddings[rows[i] * encoder.dimension], encoder.dimension,
                  &all[i * encoder.dimension]);
    embeddings = std::move(all);
  }
  check_finite(embeddings.data(), report.texts, encoder.dimension, "text");
  std::vector<Scored> scored;
  for (const SimilarPair& pair :
       most_similar_pairs(embeddings.data(), report.texts, encoder.dimension, options)) {
    scored.push_back({pair.score, data.paraphrases.contains(pair.first, pair.second)});
  }
  report.pairs = static_cast<int64_t>(scored.size());
  report.best = best_f1(std::move(scored), report.paraphrases);
  return report;
}

Json ParaphrasesReport::to_json() const {
  return {{"texts", texts},        {"paraphrases", paraphrases},
          {"pairs", pairs},        {"average_precision", best.average_precision},
          {"f1", best.f1},         {"precision", best.precision},
          {"recall", best.recall}, {"threshold", number_or_null(best.threshold)}};
}

}  // namespace contrastive::eval
