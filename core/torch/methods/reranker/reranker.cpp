#include "core/torch/methods/reranker/reranker.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/tensors/select_rows.h"
#include "core/torch/methods/frozen_scores.h"
#include "core/torch/methods/reranker/fresh_head.h"
#include "core/torch/methods/reranker/pair_targets.h"
#include "core/torch/methods/ranked_texts.h"
#include "core/torch/methods/reranker/trained_head.h"
#include "core/model/cross_encoder.h"
#include "core/torch/objectives/distillation.h"
#include "core/torch/objectives/relevance.h"

namespace contrastive::methods {
namespace {

constexpr const char* kLogits = "logits";
constexpr const char* kTeacher = "teacher";
constexpr int64_t kLookedAt = 1024;  // examples, for one with a negative

std::string loss_name(const RerankerOptions& options) {
  return dump_options(options, RerankerOptions::kPrefix)
      .find(cat(RerankerOptions::kPrefix, "loss"))
      ->get<std::string>();
}

const io::Classifier& checked_head(const MethodContext& context, const RerankerOptions& options) {
  const io::Classifier& head = *context.head;
  const int64_t labels = head.label_count();
  check(options.labels == 0 || options.labels == labels, Status::kArgument,
        "config key 'reranker.labels' is ", options.labels, ", but the reranker has ", labels,
        labels == 1 ? " label" : " labels", ", which stay as they are");
  const bool classes = options.loss == RerankerLoss::kClasses;
  check(classes || labels == 1, Status::kArgument, "the reranker has ", labels,
        " labels, but config key 'reranker.loss' is ", loss_name(options),
        ", which trains a reranker of one label: take classes, or another reranker");
  check(!classes || labels > 1, Status::kArgument,
        "config key 'reranker.loss' is classes, but the reranker has one label: it needs two or "
        "more; ",
        "a new head takes as many as 'reranker.labels' says");
  return head;
}

TunedEncoderOptions body_options(TunedEncoderOptions options, const io::Classifier& head) {
  options.pooling = head.head.pooling;
  options.dense = DenseModules::kDrop;
  return options;
}

std::unique_ptr<FrozenScores> teacher_of(const RerankerOptions& options,
                                         const MethodContext& context) {
  return options.teacher.empty()
             ? nullptr
             : std::make_unique<FrozenScores>("reranker.teacher", options.teacher, context);
}

// (a, b), then (a, negative) for each, example after example.
std::vector<model::TextPair> pairs_of(const data::Batch& batch) {
  std::vector<model::TextPair> pairs;
  for (size_t i = 0; i < batch.examples.size(); ++i) {
    const data::Example& example = batch.examples[i];
    check(example.has_b, Status::kArgument, "pairs are needed, but example ",
          random_example(batch, static_cast<int64_t>(i)), " has one text only");
    pairs.push_back({example.a, example.b});
    for (const std::string& negative : example.negatives) pairs.push_back({example.a, negative});
  }
  return pairs;
}

std::vector<int64_t> owners_of(const data::Batch& batch) {
  std::vector<int64_t> owners;
  for (size_t i = 0; i < batch.examples.size(); ++i)
    owners.insert(owners.end(), 1 + batch.examples[i].negatives.size(), static_cast<int64_t>(i));
  return owners;
}

std::vector<int64_t> lengths_of(const data::Batch& batch) {
  std::vector<int64_t> lengths;
  for (const data::Example& example : batch.examples)
    lengths.push_back(1 + static_cast<int64_t>(example.negatives.size()));
  return lengths;
}

class Reranker : public RerankerMethod {
 public:
  // `context` has a head.
  Reranker(const MethodContext& context, const RerankerOptions& options)
      : options_(options), teacher_(teacher_of(options, context)),
        encoder_(context, body_options(options.encoder, *context.head)),
        head_(checked_head(context, options), encoder_.shape(), options.encoder.dropout,
              context.seed),
        present_(encoder_.model(), head_.classifier()), parameters_(encoder_.parameters()) {
    parameters_.insert(parameters_.end(), head_.parameters().begin(), head_.parameters().end());
    model::check_pair_room(encoder_.tokenizer(), encoder_.max_length(),
                           options.encoder.max_length > 0 ? "config key 'reranker.max_length'"
                                                          : "the model's length");
  }

  // Examples that no update could learn from are reported before the first update.
  void prepare(const data::Dataset* data, const Cancel* cancel) override {
    if (data == nullptr) return;
    const bool compares = options_.lists() || options_.loss == RerankerLoss::kMarginDistillation;
    bool found = !compares;
    const std::string loss = loss_name(options_);
    for (int64_t i = 0; i < data->size(); ++i) {
      if (i % 1024 == 0) throw_if_cancelled(cancel);
      const data::Example example = data->get(i);
      found = found || !example.negatives.empty();
      check(found || i + 1 < std::min(kLookedAt, data->size()), Status::kArgument,
            "config key 'reranker.loss' is ", loss,
            ", which compares texts of one list, but none of the first ", i + 1,
            " examples has a hard negative: name their columns in data.negatives");
      // where() is slow, so it is called only for the example at fault.
      if (static_cast<int64_t>(example.negatives.size()) >= kMostTexts) {
        fail(Status::kLimit, data->where(i), ": ", example.negatives.size(),
             " hard negatives, above the limit of ", kMostTexts - 1);
      }
      targets(example, [&] { return data->where(i); });
    }
  }

  void tokenize(data::Batch& batch) const override {
    batch.tokens = {encoder_.tokenize_pairs(pairs_of(batch), encoder_.prompt())};
  }

  Views views(const data::Batch& batch) override {
    if (batch.tokens.empty()) {
      data::Batch tokenized = batch;
      tokenize(tokenized);
      return views(tokenized);
    }
    const PackedViews packed(batch, {View{&batch.tokens.front(), 0, {}, owners_of(batch)}});
    const at::Tensor logits = head_(encoder_.forward(packed), &packed);
    Views views;
    views.vectors.push_back({kLogits, labels() == 1 ? logits.squeeze(1) : logits});
    if (teacher_ != nullptr)
      views.vectors.push_back({kTeacher, (*teacher_)(pairs_of(batch)).to(logits.device())});
    views.tokens = packed.tokens().tokens();
    return views;
  }

  LossTerms compare(const Views& views, const data::Batch& batch) override {
    const at::Tensor& logits = views[kLogits];
    const std::vector<int64_t> lengths = lengths_of(batch);
    if (options_.lists() || options_.loss == RerankerLoss::kMarginDistillation)
      warn_of_pairs(lengths);
    const at::Tensor wanted = views.has(kTeacher) ? views[kTeacher] : all_targets(batch);
    LossTerms terms;
    switch (options_.loss) {
      case RerankerLoss::kBinary:
        terms.values.emplace_back("binary",
                                  objectives::binary_relevance_loss(logits, wanted,
                                                                    options_.positive_weight));
        break;
      case RerankerLoss::kClasses:
        terms.values.emplace_back("classes", objectives::class_loss(logits, wanted.to(at::kLong)));
        break;
      case RerankerLoss::kListwise:
        terms.values.emplace_back("listwise",
                                  objectives::list_cross_entropy({logits, wanted, lengths},
                                                                 objectives::ListTarget::kShare));
        break;
      case RerankerLoss::kListNet:
        terms.values.emplace_back("listnet",
                                  objectives::list_cross_entropy({logits, wanted, lengths},
                                                                 objectives::ListTarget::kSoftmax));
        break;
      case RerankerLoss::kLambda:
        terms.values.emplace_back("lambda", objectives::lambda_loss({logits, wanted, lengths},
                                                                    options_.lambda_weights,
                                                                    options_.lambda_top));
        break;
      case RerankerLoss::kDistillation:
        terms.values.emplace_back("distillation", objectives::logit_squared_error(logits, wanted));
        break;
      case RerankerLoss::kMarginDistillation:
        terms.values.emplace_back("margin", objectives::margin_squared_error(
                                                candidates(logits, lengths),
                                                objectives::margins_of(candidates(wanted, lengths),
                                                                       negative_owners(batch)),
                                                negative_owners(batch)));
        break;
    }
    return terms;
  }

  std::vector<Parameter> parameters() const override { return parameters_; }
  bool trains_encoder() const override { return true; }
  int64_t labels() const override { return present_.label_count(); }

  void score(const std::vector<model::TextPair>& pairs, float* logits,
             const Cancel* cancel) override {
    model::ScoreOptions options;
    options.activation = "identity";
    options.max_length = encoder_.max_length();
    options.cancel = cancel;
    const MergedWeights merged(encoder_.adapters(), encoder_.encoder());
    present_.score(pairs, options, logits);
  }

  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    return std::make_shared<model::CrossEncoder>(*encoder_.deliver(weights), head_.copy(weights));
  }

  MethodState save_state() const override {
    return teacher_ == nullptr ? MethodState() : teacher_->save();
  }
  void load_state(const MethodState& state) override {
    if (teacher_ != nullptr) teacher_->load(state);
  }

 private:
  std::vector<double> targets(const data::Example& example,
                              const std::function<std::string()>& where) const {
    return pair_targets(example, options_, labels(), where);
  }

  at::Tensor all_targets(const data::Batch& batch) const {
    std::vector<double> all;
    for (int64_t i = 0; i < batch.size(); ++i) {
      const auto where = [&] { return cat("example ", random_example(batch, i)); };
      const std::vector<double> own = targets(batch.examples[static_cast<size_t>(i)], where);
      all.insert(all.end(), own.begin(), own.end());
    }
    return at::tensor(all, at::kDouble);
  }

  // Selects the scores of the texts b and of the hard negatives from those of all texts.
  static objectives::CandidateScores candidates(const at::Tensor& scores,
                                                const std::vector<int64_t>& lengths) {
    std::vector<int64_t> firsts, others;
    int64_t first = 0;
    for (const int64_t length : lengths) {
      firsts.push_back(first);
      for (int64_t i = 1; i < length; ++i) others.push_back(first + i);
      first += length;
    }
    const auto pick = [&](const std::vector<int64_t>& places) {
      return tensors::select_rows(scores, at::tensor(places, at::kLong).to(scores.device()));
    };
    return {pick(firsts), pick(others)};
  }

  void warn_of_pairs(const std::vector<int64_t>& lengths) {
    const auto alone = std::count(lengths.begin(), lengths.end(), 1);
    if (alone == 0 || warned_) return;
    warned_ = true;
    log_warning(alone, " of the ", lengths.size(),
                " examples of a batch have no hard negative: they teach nothing");
  }

  RerankerOptions options_;
  std::unique_ptr<FrozenScores> teacher_;  // null: the data say what is to be learnt
  TunedEncoder encoder_;
  TrainedHead head_;
  model::CrossEncoder present_;  // with the weights of both as they are now
  std::vector<Parameter> parameters_;
  bool warned_ = false;
};

}  // namespace

MethodTraits describe_reranker(const Config& config) {
  MethodTraits traits = describe<RerankerOptions>(config);
  const auto options = read_options<RerankerOptions>(config, RerankerOptions::kPrefix);
  const bool classes = options.loss == RerankerLoss::kClasses;
  traits.gives = classes ? Gives::kClasses : Gives::kScores;
  traits.hard_negatives = traits.scores = !classes;
  traits.needs_labels = classes;
  traits.encoder_keys
      .clear();  // its encoder reads pairs and belongs to its head, so it cannot be a task with
                 // others
  traits.caches = !options.teacher.empty();
  traits.uncut = "a reranker gives scores and no vectors";
  if (classes) traits.needed_by = "config key 'reranker.loss' is classes";
  return traits;
}

std::unique_ptr<Method> make_reranker(const MethodContext& context) {
  const auto options = read_options<RerankerOptions>(context.config, RerankerOptions::kPrefix);
  const int64_t labels = options.labels > 0 ? options.labels : 1;
  return std::make_unique<Reranker>(with_head(context, labels), options);
}

constexpr Paper kRerankerPaper = {"cross-encoder", "cross-encoder-training",
                                  R"(@misc{nogueira2019passage,
  title = {Passage Re-ranking with BERT},
  author = {Nogueira, Rodrigo and Cho, Kyunghyun},
  year = {2019},
  eprint = {1901.04085},
  archivePrefix = {arXiv},
}
)"};

MethodEntry reranker_method() {
  return {"reranker", make_reranker, describe_reranker,
          "a reranker (cross-encoder), from one or from a sentence encoder: pairs with labels, "
          "lists, or a teacher's scores",
          kRerankerPaper};
}

}  // namespace contrastive::methods
