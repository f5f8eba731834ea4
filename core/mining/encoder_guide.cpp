#include "core/mining/encoder_guide.h"

#include <algorithm>

namespace contrastive::mining {
namespace {

constexpr int64_t kScoresAtOnce = 4096;

std::vector<int64_t> distinct(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

EncoderGuide::EncoderGuide(MiningEncoder encoder, retrieval::Metric metric, std::string folder)
    : encoder_(std::move(encoder)), metric_(metric), folder_(std::move(folder)) {}

EncoderGuide::~EncoderGuide() = default;

void EncoderGuide::score(const TextTable& queries, const TextTable& documents, const std::vector<GuideQuestion>& questions, const Cancel* cancel) {
  if (queries_ == nullptr) {
    const auto store = open_vector_store(folder_, encoder_.identity, encoder_.queries.encoder.dimension);
    queries_ = std::make_unique<VectorTable>(encoder_.queries, queries, store);
    documents_ = std::make_unique<VectorTable>(encoder_.documents, documents, store);
  }
  std::vector<int64_t> asking, asked;
  for (const GuideQuestion& question : questions) {
    asking.push_back(question.query);
    asked.insert(asked.end(), question.documents.begin(), question.documents.end());
  }
  queries_->embed(distinct(std::move(asking)), "queries embedded by the guide", cancel);
  documents_->embed(distinct(std::move(asked)), "candidates embedded by the guide", cancel);
  const int64_t d = queries_->dimension();
  std::vector<float> query(static_cast<size_t>(d)), vectors;
  for (const GuideQuestion& question : questions) {
    throw_if_cancelled(cancel);
    queries_->copy({question.query}, query.data());
    const auto count = static_cast<int64_t>(question.documents.size());
    for (int64_t first = 0; first < count; first += kScoresAtOnce) {
      const int64_t rows = std::min(kScoresAtOnce, count - first);
      vectors.resize(static_cast<size_t>(rows * d));
      documents_->copy({question.documents.begin() + first, question.documents.begin() + first + rows}, vectors.data());
      retrieval::similarity(query.data(), 1, vectors.data(), rows, d, metric_, question.scores + first);
    }
  }
}

}  // namespace contrastive::mining
