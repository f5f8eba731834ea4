#include "core/torch/methods/distill/teacher.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include "core/io/classifier.h"
#include "core/torch/methods/ranked_texts.h"
#include "core/torch/objectives/pair_scores.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::methods {
namespace {

constexpr const char* kTeacherKey = "distill.teacher";

}  // namespace

at::Tensor row_similarities(const at::Tensor& a, const at::Tensor& b,
                            objectives::Similarity similarity) {
  if (similarity == objectives::Similarity::kCosine && a.numel() > 0)
    return objectives::pair_cosines(a, b);
  return (objectives::at_least_float32(a) * objectives::at_least_float32(b)).sum(1);
}

Teacher::Teacher(const std::string& folder, const MethodContext& context) {
  if (!folder.empty() && io::is_reranker_folder(folder))
    scores_ = std::make_unique<FrozenScores>(kTeacherKey, folder, context);
  else vectors_ = std::make_unique<FrozenVectors>(kTeacherKey, folder, context);
}

objectives::CandidateScores Teacher::scores(const data::Batch& batch,
                                            objectives::Similarity similarity) const {
  const std::vector<int64_t> owners = negative_owners(batch);
  if (gives_vectors()) {
    const std::vector<at::Tensor> columns = vectors_->columns(batch, true);
    const at::Tensor asked = columns[0].index_select(0, at::tensor(owners, at::kLong));
    return {row_similarities(columns[0], columns[1], similarity),
            row_similarities(asked, columns[2], similarity)};
  }
  std::vector<model::TextPair> pairs;
  for (const data::Example& example : batch.examples) pairs.push_back({example.a, example.b});
  for (const data::Example& example : batch.examples) {
    for (const std::string& negative : example.negatives) pairs.push_back({example.a, negative});
  }
  const at::Tensor scores =
      (*scores_)(pairs);  // all pairs of a batch together, so that those that are new share a pass
  return {scores.narrow(0, 0, batch.size()),
          scores.narrow(0, batch.size(), static_cast<int64_t>(owners.size()))};
}

void Teacher::load(const MethodState& state) {
  if (gives_vectors()) vectors_->load(state);
  else scores_->load(state);
}

}  // namespace contrastive::methods
