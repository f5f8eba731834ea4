#include "core/torch/methods/triplet/triplet.h"

#include <ATen/ops/tensor.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/log.h"

namespace contrastive::methods {
namespace {

constexpr int64_t kLookedAt = 1024;  // examples, for one with a negative

class Triplet : public PairMethod {
 public:
  Triplet(const MethodContext& context, const TripletOptions& options)
      : PairMethod(context, options.encoder, options.prompts, true), distance_(options.distance),
        margin_(options.margin) {}

  void prepare(const data::Dataset* data, const Cancel*) override {
    if (data == nullptr) return;
    const int64_t n = std::min(kLookedAt, data->size());
    for (int64_t i = 0; i < n; ++i) {
      if (!data->get(i).negatives.empty()) return;
    }
    fail(Status::kArgument, "method 'triplet' needs negatives, but none of the first ", n,
         " examples has one: name their columns in data.negatives");
  }

  LossTerms compare(const Views& views, const data::Batch& batch) override {
    const std::vector<int64_t> owners = negative_owners(batch);
    warn_of_pairs(batch);
    const TripletVectors triplets = {finished(views["anchor"]), finished(views["positive"]),
                                     finished(views["negative"]), at::tensor(owners, at::kLong)};
    LossTerms terms;
    terms.values.emplace_back("triplet", triplet_loss(triplets, distance_, margin_));
    return terms;
  }

 private:
  void warn_of_pairs(const data::Batch& batch) {
    const auto alone =
        std::count_if(batch.examples.begin(), batch.examples.end(),
                      [](const data::Example& example) { return example.negatives.empty(); });
    if (alone == 0 || warned_) return;
    warned_ = true;
    log_warning(alone, " of the ", batch.size(),
                " examples of a batch have no negative: they have no part in the loss");
  }

  Distance distance_;
  double margin_;
  bool warned_ = false;
};

}  // namespace

void TripletOptions::visit(OptionVisitor& v) {
  v.choice("distance", distance,
           {{"euclidean", Distance::kEuclidean},
            {"cosine", Distance::kCosine},
            {"manhattan", Distance::kManhattan}},
           OptionDoc("the distance of two vectors: |a - b|, 1 - cosine, or the sum of |a_k - b_k|")
               .source("sentence-transformers: euclidean"));
  v.real("margin", margin, above(0, 1e6),
         OptionDoc(
             "how much farther away the negative must be. If a Normalize module scales vectors to "
             "length 1, euclidean and cosine distances are at most 2: use less than 1 for them")
             .source("sentence-transformers: 5"));
  prompts.visit(v);
  encoder.visit(v);
}

MethodTraits describe_triplet(const Config& config) {
  MethodTraits traits = describe<TripletOptions>(config);
  traits.hard_negatives = true;
  traits.sentence_vectors = kRankedVectors;
  return traits;
}

std::unique_ptr<Method> make_triplet(const MethodContext& context) {
  return std::make_unique<Triplet>(context, read_options<TripletOptions>(context.config,
                                                                         TripletOptions::kPrefix));
}

constexpr Paper kTripletPaper = {"triplet loss", "loss:TripletLoss", R"(@misc{hermans2017defense,
  title = {In Defense of the Triplet Loss for Person Re-Identification},
  author = {Hermans, Alexander and Beyer, Lucas and Leibe, Bastian},
  year = {2017},
  eprint = {1703.07737},
  archivePrefix = {arXiv},
}
)"};

MethodEntry triplet_method() {
  return {
      "triplet", make_triplet, describe_triplet,
      "the whole encoder on pairs with hard negatives, by distances and a margin (triplet loss)",
      kTripletPaper};
}

}  // namespace contrastive::methods
