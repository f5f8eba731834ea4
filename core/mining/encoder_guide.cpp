#include "core/mining/encoder_guide.h"

#include <algorithm>

namespace contrastive::mining {
namespace {

std::vector<int64_t> distinct(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

EncoderGuide::EncoderGuide(MiningEncoder encoder, retrieval::Metric metric, std::string folder)
    : encoder_(std::move(encoder)), metric_(metric), folder_(std::move(folder)) {}

EncoderGuide::~EncoderGuide() = default;

void EncoderGuide::score(const TextTable& queries, const TextTable& documents,
                         const std::vector<GuideQuestion>& questions, const Cancel* cancel) {
  if (queries_ == nullptr) {
    const auto store =
        open_vector_store(folder_, encoder_.identity, encoder_.queries.encoder.dimension);
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
  std::vector<float> query(static_cast<size_t>(queries_->dimension()));
  for (const GuideQuestion& question : questions) {
    throw_if_cancelled(cancel);
    queries_->copy({question.query}, query.data());
    documents_->score(query.data(), question.documents, metric_, question.scores);
  }
}

}  // namespace contrastive::mining
