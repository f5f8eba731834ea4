#include "core/torch/methods/simcse/simcse.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/methods/dense_head.h"
#include "core/torch/methods/ranked_texts.h"
#include "core/model/post_pooling.h"

namespace contrastive::methods {
namespace {

class SimCse : public EncoderMethod {
 public:
  SimCse(const MethodContext& context, const SimCseOptions& options)
      : options_(options), encoder_(context, options.encoder),
        texts_(encoder_, encoder_.prompt(), encoder_.prompt()) {
    const int64_t width = encoder_.hidden_size();
    const encoder::Architecture& shape = encoder_.shape();
    if (options.mlp != MlpUse::kNone) {
      head_ = DenseHead("mlp", {{width, width, "tanh"}}, shape.initializer_range, context.seed,
                        encoder_.encoder().device());
    }
    loss_.scale = 1 / options.temperature;
    loss_.hard_negative_weight = options.hard_negative_weight;
    loss_.false_negatives = options.false_negatives;
    if (options.positives == Positives::kDropout) check_dropout();
  }

  void prepare(const data::Dataset* data, const Cancel*) override {
    if (options_.positives != Positives::kAuto || data == nullptr || data->size() == 0 ||
        !data->get(0).has_b)
      return;
    log_info("simcse.positives = auto takes the second texts of the data as positives, with the "
             "defaults of single texts for simcse.mlp, batch_size, "
             "epochs and lr; set simcse.positives = pairs for those of supervised SimCSE");
  }

  void tokenize(data::Batch& batch) const override { texts_.tokenize(batch); }

  Views views(const data::Batch& batch) override {
    if (batch.tokens.empty()) {
      data::Batch tokenized = batch;
      tokenize(tokenized);
      return views(tokenized);
    }
    return ranks_pairs(batch) ? texts_.views(batch) : dropout_views(batch);
  }

  LossTerms compare(const Views& views, const data::Batch& batch) override {
    Views ranked = ranks_pairs(batch) ? views : each_its_own(views);
    for (NamedRows& entry : ranked.vectors) {
      if (entry.rows.is_floating_point()) entry.rows = head_(entry.rows);
    }
    LossTerms terms;
    terms.values.emplace_back("contrastive", ranked_loss(ranked, batch, loss_, repeated_));
    return terms;
  }

  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all = encoder_.parameters();
    all.insert(all.end(), head_.parameters().begin(), head_.parameters().end());
    return all;
  }
  bool trains_encoder() const override { return true; }
  int64_t dimension() const override { return encoder_.dimension(); }

  void embed(const std::vector<std::string_view>& texts, float* embeddings,
             const Cancel* cancel) override {
    encoder_.embed_texts(texts, embeddings, cancel);
    if (options_.mlp != MlpUse::kAlways || texts.empty()) return;
    const auto n = static_cast<int64_t>(texts.size());
    std::vector<float> rows(embeddings, embeddings + n * dimension());
    model::apply_dense(head_.modules(), rows, n, dimension());
    std::copy(rows.begin(), rows.end(), embeddings);
  }

  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    std::shared_ptr<model::SentenceEncoder> result = encoder_.deliver(weights);
    if (options_.mlp == MlpUse::kAlways) result->set_dense(head_.modules(weights));
    return result;
  }

 private:
  bool ranks_pairs(const data::Batch& batch) const {
    return options_.positives == Positives::kPairs ||
           (options_.positives == Positives::kAuto && batch.examples.front().has_b);
  }

  void check_dropout() const {
    const encoder::Architecture& shape = encoder_.shape();
    const bool some = options_.encoder.dropout &&
                      (shape.hidden_dropout_prob > 0 || shape.attention_probs_dropout_prob > 0);
    check(some, Status::kArgument,
          "simcse.positives: without pairs the two views of a text differ by dropout alone, but ",
          options_.encoder.dropout
              ? "the model's config has hidden_dropout_prob and attention_probs_dropout_prob 0"
              : "simcse.dropout is off");
  }

  // Each column of texts under two dropout masks, "a.view1" and "a.view2", then the ids of the
  // texts, "a.text"; "b" likewise where there are pairs.
  Views dropout_views(const data::Batch& batch) const {
    check_dropout();
    std::vector<View> columns;
    for (size_t column = 0; column < std::min<size_t>(batch.tokens.size(), 2); ++column) {
      for (int time = 0; time < 2; ++time) {
        columns.push_back({&batch.tokens[column],
                           static_cast<int64_t>(columns.size()),
                           {},
                           {},
                           encoder_.prompt().unpooled});
      }
    }
    const PackedViews packed(batch, columns);
    const at::Tensor vectors = encoder_.forward(packed);
    Views views;
    constexpr const char* kNames[] = {"a.view1", "a.view2", "b.view1", "b.view2"};
    for (size_t i = 0; i < columns.size(); ++i)
      views.vectors.push_back(
          {kNames[i], vectors.narrow(0, packed.first_text(i), packed.texts(i))});
    for (size_t i = 0; i < columns.size(); i += 2)
      views.vectors.push_back({i == 0 ? "a.text" : "b.text", text_identities(*columns[i].tokens)});
    views.tokens = packed.tokens().tokens();
    return views;
  }

  // Every text is an example whose positive is itself, the second texts of pairs too.
  static Views each_its_own(const Views& views) {
    const bool two = views.has("b.text");
    const auto both = [&](const std::string& name) {
      return two ? at::cat({views["a" + name], views["b" + name]}) : views["a" + name];
    };
    Views ranked;
    ranked.vectors = {{"anchor", both(".view1")},
                      {"positive", both(".view2")},
                      {"anchor.text", both(".text")}};
    return ranked;
  }

  SimCseOptions options_;
  objectives::InBatchOptions loss_;
  TunedEncoder encoder_;
  RankedTexts texts_;
  DenseHead head_;
  RepeatedTexts repeated_{"simcse.false_negatives"};
};

}  // namespace

std::unique_ptr<Method> make_simcse(const MethodContext& context) {
  return std::make_unique<SimCse>(context, read_simcse_options(context.config));
}

constexpr Paper kSimcsePaper = {"SimCSE", "simcse", R"(@inproceedings{gao2021simcse,
  title = {{S}im{CSE}: Simple Contrastive Learning of Sentence Embeddings},
  author = {Gao, Tianyu and Yao, Xingcheng and Chen, Danqi},
  booktitle = {Proceedings of the 2021 Conference on Empirical Methods in Natural Language Processing},
  year = {2021},
  pages = {6894--6910},
  doi = {10.18653/v1/2021.emnlp-main.552},
}
)"};

MethodEntry simcse_method() {
  return {"simcse", make_simcse, describe_simcse,
          "the encoder on single texts under two dropout masks, on pairs, or on pairs with hard "
          "negatives (SimCSE)",
          kSimcsePaper};
}

}  // namespace contrastive::methods
