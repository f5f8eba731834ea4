#include "core/torch/methods/clsr/clsr.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/torch/tensors/row_blocks.h"
#include "core/torch/methods/embedding_cache.h"
#include "core/torch/methods/repeated_texts.h"

namespace contrastive::methods {
namespace {

model::EncodeOptions input_options(const ClsrOptions& options) {
  model::EncodeOptions encode;
  encode.pooling = options.base_pooling;
  encode.normalize = 0;  // a Normalize module of the encoder stays last, behind what is trained
  return encode;
}

class Clsr : public EncoderMethod {
 public:
  Clsr(const MethodContext& context, const ClsrOptions& options)
      : options_(options), seed_(context.seed), start_(context.start),
        cache_(start_, {input_options(options), context.cache_folder, options.half_cache}),
        head_(head_options()) {
    const std::vector<std::string>& own = start_->folder().poolings;
    if (options.base_pooling.empty() && !(own.size() == 1 && own[0] == "mean")) {
      std::string names;
      for (const std::string& name : own) names += (names.empty() ? "" : ", ") + name;
      remarks_.push_back(
          cat("the frozen encoder pools with ", names.empty() ? "nothing that is stated" : names,
              "; the figures of CLSR's paper take the mean (clsr.base_pooling = mean)"));
      log_warning(remarks_.back());
    }
  }

  void prepare(const data::Dataset* data, const Cancel* cancel) override {
    if (options_.input_norm == InputNorm::kStandardize && data != nullptr)
      measure_input(sample_rows(*data, cancel));
  }

  Views views(const data::Batch& batch) override {
    const int64_t before = cache_.tokens_encoded();
    const std::vector<int64_t> rows = batch_rows(batch);  // [2n] of texts a, then of texts b
    if (options_.input_norm == InputNorm::kStandardize && !mean_.defined()) measure_input(rows);
    const int64_t n = batch.size();
    const at::Tensor v = head_.encode(input(rows));  // [2n, output]
    const at::Tensor z = options_.loss_on == LossOn::kZ ? head_.project(v) : v;
    const at::Tensor ids = identities(rows);  // [2n]
    const std::vector<at::Tensor> halves = z.split(
        n);  // whose gradients are put together once, where those of two narrow() would be added
    return {{{"a", halves[0]},
             {"b", halves[1]},
             {"a.text", ids.narrow(0, 0, n)},
             {"b.text", ids.narrow(0, n, n)}},
            {},
            cache_.tokens_encoded() - before};
  }

  LossTerms compare(const Views& views, const data::Batch&) override {
    LossTerms terms;
    const at::Tensor texts = at::cat({views["a.text"], views["b.text"]});
    const at::Tensor ids =
        repeated_.masked(texts, views["a.text"].size(0), options_.loss.false_negatives);
    terms.values.emplace_back("contrastive",
                              objectives::nt_xent(views["a"], views["b"], options_.loss, ids));
    return terms;
  }

  std::vector<Parameter> parameters() const override { return head_.parameters(); }
  bool trains_encoder() const override { return false; }

  int64_t dimension() const override {
    if (options_.eval_vector == EvalVector::kX) return cache_.dimension();
    const auto modules = head_.modules(options_.eval_vector == EvalVector::kZ);
    return modules.back().weight.size(0);
  }

  void embed(const std::vector<std::string_view>& texts, float* embeddings,
             const Cancel* cancel) override {
    const at::NoGradGuard no_grad;
    constexpr size_t kChunk = 8192;
    for (size_t begin = 0; begin < texts.size(); begin += kChunk) {
      const size_t end = std::min(begin + kChunk, texts.size());
      const std::vector<int64_t> rows = cache_.rows({texts.begin() + static_cast<int64_t>(begin),
                                                     texts.begin() + static_cast<int64_t>(end)},
                                                    cancel);
      at::Tensor vectors =
          options_.eval_vector == EvalVector::kX ? cache_.gather(rows) : head_.encode(input(rows));
      if (options_.eval_vector == EvalVector::kZ) vectors = head_.project(vectors);
      vectors = vectors.contiguous();
      TORCH_CHECK(vectors.numel() == static_cast<int64_t>(end - begin) * dimension(),
                  "a vector of another width than the method's");
      std::memcpy(embeddings, vectors.const_data_ptr<float>(),
                  static_cast<size_t>(vectors.numel()) * sizeof(float));
      embeddings += vectors.numel();
    }
  }

  std::vector<std::string> remarks() const override { return remarks_; }

  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    std::shared_ptr<model::SentenceEncoder> result = start_->snapshot();
    if (!options_.base_pooling.empty()) result->set_pooling({options_.base_pooling});
    if (options_.eval_vector == EvalVector::kX) return result;
    std::vector<io::DenseModule> dense = start_->folder().dense;
    for (io::DenseModule& module :
         head_.modules(options_.eval_vector == EvalVector::kZ, mean_, scale_, weights))
      dense.push_back(std::move(module));
    result->set_dense(std::move(dense));
    return result;
  }

  MethodState save_state() const override {
    MethodState state{cache_.save(), Json::object()};
    if (mean_.defined()) state.tensors.insert({{"input.mean", mean_}, {"input.scale", scale_}});
    return state;
  }

  void load_state(const MethodState& state) override {
    cache_.load(state.tensors);
    if (options_.input_norm != InputNorm::kStandardize) return;
    const auto mean = state.tensors.find("input.mean"), scale = state.tensors.find("input.scale");
    if (mean == state.tensors.end() || scale == state.tensors.end())
      return;  // saved before the first step
    for (const at::Tensor& saved : {mean->second, scale->second}) {
      const bool fits = saved.dim() == 1 && saved.size(0) == cache_.dimension() &&
                        saved.scalar_type() == at::kFloat;
      check(fits, Status::kMismatch, "the saved run standardises by ", saved.sizes(),
            " numbers, the encoder gives ", cache_.dimension());
    }
    mean_ = mean->second;
    scale_ = scale->second;
  }

 private:
  ClsrHeadOptions head_options() const {
    ClsrHeadOptions head;
    head.input = cache_.dimension();
    head.hidden = options_.hidden;
    head.init = options_.encoder_init;
    head.relu = options_.activation;
    head.output = options_.encoder_init != EncoderInit::kRandom ? head.input
                  : options_.dimension > 0                      ? options_.dimension
                                                                : 768;
    head.projection = options_.resolved_projection();
    head.projection_output = options_.projection_dim > 0 ? options_.projection_dim : head.output;
    head.seed = seed_;
    return head;
  }

  // Row numbers of the texts' vectors in the cache. Those of the dataset's examples are remembered,
  // so that an epoch needs no texts and no hashing.
  std::vector<int64_t> batch_rows(const data::Batch& batch) {
    const size_t n = batch.examples.size();
    std::vector<int64_t> rows(2 * n, data::RowStore::kAbsent);
    std::vector<std::string_view> texts;
    std::vector<size_t> places;
    for (size_t i = 0; i < n; ++i) {
      const data::Example& example = batch.examples[i];
      const int64_t number = batch.indices[i] >= 0 ? batch.indices[i] : static_cast<int64_t>(i);
      check(example.has_b, Status::kArgument, "CLSR trains on pairs, but example ", number,
            " has one text only");
      const size_t known =
          batch.indices[i] < 0 ? known_rows_.size() : 2 * static_cast<size_t>(batch.indices[i]);
      if (known + 1 < known_rows_.size() && known_rows_[known] != data::RowStore::kAbsent) {
        rows[i] = known_rows_[known];
        rows[n + i] = known_rows_[known + 1];
        continue;
      }
      texts.insert(texts.end(), {example.a, example.b});
      places.insert(places.end(), {i, n + i});
    }
    const std::vector<int64_t> found = cache_.rows(texts);
    for (size_t k = 0; k < places.size(); ++k) {
      rows[places[k]] = found[k];
      const int64_t index = batch.indices[places[k] % n];
      if (index < 0) continue;
      const size_t known = 2 * static_cast<size_t>(index) + (places[k] >= n ? 1 : 0);
      if (known_rows_.size() <= known)
        known_rows_.resize(std::max(known + 2, 2 * known_rows_.size()), data::RowStore::kAbsent);
      known_rows_[known] = found[k];
    }
    return rows;
  }

  at::Tensor input(const std::vector<int64_t>& rows) const {
    const at::Tensor x = cache_.gather(rows);  // [rows, input]
    if (options_.input_norm == InputNorm::kL2) return objectives::normalize_rows(x);
    if (!mean_.defined()) return x;
    tensors::for_row_blocks(x, [&](int64_t first, int64_t count) {
      x.narrow(0, first, count).sub_(mean_).mul_(scale_);
    });
    return x;
  }

  // Vectors of a seeded sample of the training texts, for their mean and spread.
  std::vector<int64_t> sample_rows(const data::Dataset& data, const Cancel* cancel) {
    std::vector<int64_t> order(static_cast<size_t>(data.size()));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    Rng(seed_, Purpose::kSubset).shuffle(order);
    std::vector<std::string> texts;
    for (size_t i = 0;
         i < order.size() && static_cast<int64_t>(texts.size()) < options_.standardize_texts; ++i) {
      data::Example example = data.get(order[i]);
      texts.push_back(std::move(example.a));
      texts.push_back(std::move(example.b));
    }
    return cache_.rows({texts.begin(), texts.end()}, cancel);
  }

  void measure_input(const std::vector<int64_t>& rows) {
    const at::NoGradGuard no_grad;
    const at::Tensor x = cache_.gather(rows);
    mean_ = x.mean(0);
    const at::Tensor deviation = (x - mean_).square().mean(0).sqrt();
    // A dimension that never varies is not scaled.
    scale_ = at::where(deviation.gt(1e-8), deviation.reciprocal(), at::ones_like(deviation));
  }

  // Equal numbers for texts with equal tokens, [rows].
  at::Tensor identities(const std::vector<int64_t>& rows) const {
    const at::Tensor ids = at::empty({static_cast<int64_t>(rows.size())}, at::kLong);
    for (size_t i = 0; i < rows.size(); ++i)
      ids.mutable_data_ptr<int64_t>()[i] = cache_.identity(rows[i]);
    return ids;
  }

  ClsrOptions options_;
  uint64_t seed_;
  std::shared_ptr<model::SentenceEncoder> start_;
  EmbeddingCache cache_;
  ClsrHead head_;
  std::vector<std::string> remarks_;
  std::vector<int64_t>
      known_rows_;           // [2 x examples] rows of the dataset's texts a and b, where known
  at::Tensor mean_, scale_;  // [input] with input_norm = standardize
  RepeatedTexts repeated_{"clsr.false_negatives"};
};

}  // namespace

std::unique_ptr<Method> make_clsr(const MethodContext& context) {
  return std::make_unique<Clsr>(context,
                                read_options<ClsrOptions>(context.config, ClsrOptions::kPrefix));
}

constexpr Paper kClsrPaper = {"CLSR", "clsr", R"(@inproceedings{qiu2021contrastive,
  title = {Contrastive Learning of Sentence Representations},
  author = {Qiu, Hefei and Ding, Wei and Chen, Ping},
  booktitle = {Proceedings of the 18th International Conference on Natural Language Processing (ICON)},
  year = {2021},
}
)"};

MethodEntry clsr_method() {
  return {"clsr", make_clsr, describe_clsr,
          "an MLP on a frozen encoder, trained on pairs with NT-Xent (CLSR)", kClsrPaper};
}

}  // namespace contrastive::methods
