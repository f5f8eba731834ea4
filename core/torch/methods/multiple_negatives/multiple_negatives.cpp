#include "core/torch/methods/multiple_negatives/multiple_negatives.h"

#include "core/torch/methods/frozen_vectors.h"

namespace contrastive::methods {
namespace {

class MultipleNegatives : public PairMethod {
 public:
  MultipleNegatives(const MethodContext& context, const MultipleNegativesOptions& options)
      : PairMethod(context, options.encoder, options.prompts, true), loss_(options.in_batch()) {
    // The dot product of what the model gives: where that is normalised, it is the cosine.
    if (encoder().model().folder().normalize) loss_.similarity = objectives::Similarity::kCosine;
    if (!options.guide.empty())
      guide_ = std::make_unique<FrozenVectors>("mnrl.guide", options.guide, context);
  }

  // With a guide also its vectors, "anchor.guide", "positive.guide" and "negative.guide".
  Views views(const data::Batch& batch) override {
    Views views = PairMethod::views(batch);
    if (guide_ == nullptr) return views;
    const std::vector<at::Tensor> columns = guide_->columns(batch, true);
    const c10::Device device = views["anchor"].device();
    for (size_t i = 0; i < columns.size(); ++i)
      views.vectors.push_back({kGuideVectors[i], columns[i].to(device)});
    return views;
  }

  LossTerms compare(const Views& views, const data::Batch& batch) override {
    LossTerms terms;
    terms.values.emplace_back("contrastive", ranked_loss(views, batch, loss_, repeated_));
    return terms;
  }

  MethodState save_state() const override {
    return guide_ == nullptr ? MethodState() : guide_->save();
  }
  void load_state(const MethodState& state) override {
    if (guide_ != nullptr) guide_->load(state);
  }

 private:
  objectives::InBatchOptions loss_;
  std::unique_ptr<FrozenVectors> guide_;
  RepeatedTexts repeated_{"mnrl.false_negatives"};
};

}  // namespace

std::unique_ptr<Method> make_multiple_negatives(const MethodContext& context) {
  return std::make_unique<MultipleNegatives>(
      context,
      read_options<MultipleNegativesOptions>(context.config, MultipleNegativesOptions::kPrefix));
}

constexpr Paper kMultipleNegativesPaper = {"multiple negatives ranking",
                                           "loss:MultipleNegativesRankingLoss",
                                           R"(@misc{henderson2017efficient,
  title = {Efficient Natural Language Response Suggestion for Smart Reply},
  author = {Henderson, Matthew and Al-Rfou, Rami and Strope, Brian and Sung, Yun-hsuan and Lukacs, Laszlo and Guo, Ruiqi and Kumar, Sanjiv and Miklos, Balint and Kurzweil, Ray},
  year = {2017},
  eprint = {1705.00652},
  archivePrefix = {arXiv},
}
)"};

MethodEntry multiple_negatives_method() {
  return {"mnrl", make_multiple_negatives, describe_multiple_negatives,
          "the whole encoder on pairs, each against the other pairs of the batch and hard "
          "negatives (MultipleNegativesRanking)",
          kMultipleNegativesPaper};
}

}  // namespace contrastive::methods
