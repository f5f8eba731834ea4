#include "core/torch/methods/distill/distill.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/torch/tensors/cuda.h"
#include "core/torch/tensors/products.h"
#include "core/torch/tensors/select_rows.h"
#include "core/torch/methods/dense_head.h"
#include "core/torch/methods/distill/teacher.h"
#include "core/model/principal_components.h"

namespace contrastive::methods {
namespace {

constexpr int64_t kLookedAtForNegatives = 1024;  // examples, for one with a negative
constexpr const char* kColumns[] = {"anchor", "positive", "negative"};
constexpr const char* kTaught[] = {"anchor.teacher", "positive.teacher", "negative.teacher"};
constexpr const char* kMargins = "negative.margin";

class Distill : public PairMethod {
 public:
  Distill(const MethodContext& context, const DistillOptions& options)
      : PairMethod(context, options.encoder, options.prompts, options.reads_negatives()),
        options_(options), seed_(context.seed) {
    if (!options.scores_in_data()) teacher_ = std::make_unique<Teacher>(options.teacher, context);
    if (options.of_vectors()) fit_dimensions(context);
  }

  void prepare(const data::Dataset* data, const Cancel* cancel) override {
    if (options_.teacher_pca) {
      check(data != nullptr, Status::kArgument,
            "config key 'distill.teacher_pca' needs a dataset, whose texts decide the components, "
            "but the batches come ",
            "from the caller");
      find_axes(*data, cancel);
    }
    if (data == nullptr) return;
    if (options_.of_vectors()) return check_texts(*data);
    check_negatives(*data);
    for (int64_t i = 0; options_.scores_in_data() && i < data->size(); ++i) {
      if (i % 1024 == 0) throw_if_cancelled(cancel);
      check_scores(data->get(i), [&] { return data->where(i); });
    }
  }

  Views views(const data::Batch& batch) override {
    const bool single = options_.of_vectors() && !batch.examples.front().has_b;
    Views views = single ? anchors(batch) : PairMethod::views(batch);
    const c10::Device device = views["anchor"].device();
    const auto add = [&](const char* name, const at::Tensor& rows) {
      views.vectors.push_back({name, rows.to(device)});
    };
    if (options_.of_vectors()) {
      const std::vector<at::Tensor> taught = taught_vectors(batch);
      for (size_t i = 0; i < taught.size(); ++i) add(kTaught[i], taught[i]);
    } else if (options_.loss == DistillLoss::kMarginMse) {
      add(kMargins, taught_margins(batch));
    } else {
      const objectives::CandidateScores taught = taught_scores(batch);
      add(kTaught[1], taught.positives);
      add(kTaught[2], taught.negatives);
    }
    return views;
  }

  LossTerms compare(const Views& views, const data::Batch& batch) override {
    LossTerms terms;
    if (options_.of_vectors()) {
      terms.values.emplace_back("embedding_mse", vector_loss(views));
      return terms;
    }
    const std::vector<int64_t> owners = negative_owners(batch);
    warn_of_pairs(batch);
    const objectives::CandidateScores own = student_scores(views, owners);
    if (options_.loss == DistillLoss::kMarginMse) {
      terms.values.emplace_back("margin_mse",
                                objectives::margin_squared_error(own, views[kMargins], owners));
    } else {
      const objectives::CandidateScores taught = {views[kTaught[1]], views[kTaught[2]]};
      terms.values.emplace_back("scores", objectives::score_divergence(own, taught, owners,
                                                                       options_.temperature));
    }
    return terms;
  }

  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all = PairMethod::parameters();
    all.insert(all.end(), projection_.parameters().begin(), projection_.parameters().end());
    return all;
  }

  MethodState save_state() const override {
    MethodState state = teacher_ == nullptr ? MethodState() : teacher_->save();
    if (axes_.defined()) state.tensors["teacher.axes"] = axes_;
    return state;
  }

  void load_state(const MethodState& state) override {
    if (teacher_ != nullptr) teacher_->load(state);
    if (!options_.teacher_pca) return;
    const auto axes = state.tensors.find("teacher.axes");
    if (axes == state.tensors.end()) return;  // saved before the first step
    const std::vector<int64_t> wanted = {dimension(), teacher_->vectors().dimension()};
    check(axes->second.sizes() == at::IntArrayRef(wanted) &&
              axes->second.scalar_type() == at::kFloat,
          Status::kMismatch, "the saved run's components of the teacher are ", axes->second.sizes(),
          ", not ", at::IntArrayRef(wanted));
    axes_ = axes->second;
  }

 private:
  void fit_dimensions(const MethodContext& context) {
    const int64_t own = dimension(), taught = teacher_->vectors().dimension();
    if (options_.projection == StudentProjection::kLinear) {
      projection_ = DenseHead("projection", {{own, taught, "identity"}},
                              1 / std::sqrt(static_cast<double>(own)), context.seed,
                              tensors::to_torch(encoder().model().encoder().device()));
      return;
    }
    if (options_.teacher_pca) {
      check(taught > own, Status::kArgument,
            "config key 'distill.teacher_pca' is set, but the teacher's vectors have ", taught,
            " dimensions and the student's ", own, ": there is nothing to take away");
      return;
    }
    check(taught == own, Status::kArgument,
          "config key 'distill.teacher': the teacher's vectors have ", taught,
          " dimensions, the student's ", own, ": set distill.projection = linear",
          taught > own ? ", or distill.teacher_pca = true, which shortens the teacher's, or train "
                         "a student of as many dimensions"
                       : ", or train a student of as many dimensions (contrastive create --set "
                         "student.dimension=...)");
  }

  // A seeded sample of the texts that the teacher embeds, and the directions in which its vectors
  // of them vary most.
  void find_axes(const data::Dataset& data, const Cancel* cancel) {
    std::vector<int64_t> order(static_cast<size_t>(data.size()));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    Rng(seed_, Purpose::kSubset).shuffle(order);
    const bool all_texts = options_.second_texts == SecondTexts::kOwn;
    std::vector<std::string> texts;
    for (size_t i = 0; i < order.size() && static_cast<int64_t>(texts.size()) < options_.pca_texts;
         ++i) {
      throw_if_cancelled(cancel);
      data::Example example = data.get(order[i]);
      texts.push_back(std::move(example.a));
      if (all_texts && example.has_b) texts.push_back(std::move(example.b));
    }
    check(static_cast<int64_t>(texts.size()) > dimension(), Status::kArgument,
          "config key 'distill.teacher_pca': ", dimension(),
          " components are wanted, but there are only ", texts.size(),
          " training texts to take them of");
    const at::Tensor vectors =
        teacher_->vectors()({texts.begin(), texts.end()}, cancel).contiguous();
    axes_ =
        tensors::to_torch(model::principal_axes(tensors::from_torch(vectors), dimension(), cancel));
  }

  // The targets of each column of the batch's texts: [rows, the student's dimension] or, with a
  // projection, the teacher's.
  std::vector<at::Tensor> taught_vectors(const data::Batch& batch) {
    std::vector<at::Tensor> taught;
    const size_t texts = batch.examples.front().has_b ? 2 : 1;
    if (options_.second_texts == SecondTexts::kOwn && texts == 2) {
      taught = teacher_->vectors().columns(batch, true);
    } else {
      std::vector<std::string_view> first;
      for (const data::Example& example : batch.examples) first.push_back(example.a);
      taught.assign(texts, teacher_->vectors()(first));
    }
    if (!options_.teacher_pca) return taught;
    check(axes_.defined(), Status::kInternal,
          "the teacher's components are not known before prepare()");
    const at::NoGradGuard no_grad;
    for (at::Tensor& vectors : taught) vectors = tensors::product(vectors, axes_.t());
    return taught;
  }

  // Of all columns together. A student whose vectors are cut (matryoshka.h) is compared with the
  // first numbers of the teacher's.
  at::Tensor vector_loss(const Views& views) const {
    std::vector<at::Tensor> own, taught;
    for (size_t i = 0; i < std::size(kColumns); ++i) {
      if (!views.has(kTaught[i])) continue;
      own.push_back(projection_(finished(views[kColumns[i]])));
      taught.push_back(views[kTaught[i]]);
    }
    const at::Tensor student = at::cat(own), teacher = at::cat(taught);
    return objectives::vector_squared_error(
        student, teacher.narrow(1, 0, std::min(student.size(1), teacher.size(1))));
  }

  objectives::CandidateScores student_scores(const Views& views,
                                             const std::vector<int64_t>& owners) const {
    const at::Tensor anchors = finished(views["anchor"]);
    const at::Tensor asked =
        tensors::select_rows(anchors, at::tensor(owners, at::kLong).to(anchors.device()));
    return {row_similarities(anchors, finished(views["positive"]), options_.similarity),
            row_similarities(asked, finished(views["negative"]), options_.similarity)};
  }

  // The teacher's scores of each pair and of its negatives, or those in the data.
  objectives::CandidateScores taught_scores(const data::Batch& batch) const {
    if (teacher_ != nullptr) return teacher_->scores(batch, options_.similarity);
    std::vector<float> positives, negatives;
    for (int64_t i = 0; i < batch.size(); ++i) {
      const data::Example& example = batch.examples[static_cast<size_t>(i)];
      check_scores(example, [&] { return cat("example ", random_example(batch, i)); });
      const std::vector<double>& scores = example.scores;
      if (scores.empty()) {  // a margin alone
        positives.push_back(static_cast<float>(example.label));
        negatives.insert(negatives.end(), example.negatives.size(), 0.0F);
        continue;
      }
      positives.push_back(static_cast<float>(scores.front()));
      negatives.insert(negatives.end(), scores.begin() + 1, scores.end());
    }
    return {at::tensor(positives, at::kFloat), at::tensor(negatives, at::kFloat)};
  }

  at::Tensor taught_margins(const data::Batch& batch) const {
    return objectives::margins_of(taught_scores(batch), negative_owners(batch));
  }

  // `where` returns which example it is, for an error about its scores; computing that takes time.
  template <class Where>
  void check_scores(const data::Example& example, const Where& where) const {
    const std::vector<double>& scores = example.scores;
    if (!scores.empty()) {
      if (scores.size() != example.negatives.size() + 1) {
        fail(Status::kArgument, where(), ": ", scores.size(),
             " scores of a teacher, but a second text and ", example.negatives.size(),
             " hard negatives: each needs one, the second text's first");
      }
      for (const double score : scores) {
        if (!std::isfinite(score))
          fail(Status::kArgument, where(), ": the score ", score, " is not a finite number");
      }
      return;
    }
    if (options_.loss != DistillLoss::kMarginMse) {
      fail(Status::kArgument, where(),
           ": no scores of a teacher: name their columns in data.scores, or a teacher in "
           "distill.teacher");
    }
    if (!std::isfinite(example.label)) {
      fail(Status::kArgument, where(),
           ": without distill.teacher and data.scores the label of a row is the teacher's margin, "
           "but here it is ",
           std::isnan(example.label) ? "missing" : "no finite number");
    }
    if (example.negatives.size() > 1) {
      fail(Status::kArgument, where(),
           ": one label is the margin of one hard negative, but there are ",
           example.negatives.size(),
           ": name the columns of all scores in data.scores, or a teacher in distill.teacher");
    }
  }

  void check_texts(const data::Dataset& data) const {
    const bool translations =
        options_.second_texts == SecondTexts::kTranslations && data.size() > 0 && data.get(0).has_b;
    check(!options_.teacher.empty() || translations, Status::kArgument,
          "config key 'distill.teacher' is missing: the start model would be its own teacher, and "
          "has nothing to learn from single texts, or with "
          "distill.second_texts = own");
  }

  static void check_negatives(const data::Dataset& data) {
    const int64_t n = std::min(kLookedAtForNegatives, data.size());
    for (int64_t i = 0; i < n; ++i) {
      if (!data.get(i).negatives.empty()) return;
    }
    fail(Status::kArgument,
         "config key 'distill.loss': margin_mse and scores compare a pair with its hard negatives, "
         "but none of the first ",
         n, " examples has one: name their columns in data.negatives");
  }

  void warn_of_pairs(const data::Batch& batch) {
    const auto alone =
        std::count_if(batch.examples.begin(), batch.examples.end(),
                      [](const data::Example& example) { return example.negatives.empty(); });
    if (alone == 0 || warned_) return;
    warned_ = true;
    log_warning(alone, " of the ", batch.size(),
                " examples of a batch have no negative: they have no part in the loss");
  }

  DistillOptions options_;
  uint64_t seed_;
  std::unique_ptr<Teacher> teacher_;  // null where the data has its margins
  DenseHead projection_;
  at::Tensor axes_;  // [student's dimension, teacher's], with teacher_pca
  bool warned_ = false;
};

}  // namespace

std::unique_ptr<Method> make_distill(const MethodContext& context) {
  return std::make_unique<Distill>(context, read_options<DistillOptions>(context.config,
                                                                         DistillOptions::kPrefix));
}

constexpr Paper kDistillPaper = {"distillation", "distillation",
                                 R"(@inproceedings{reimers2020making,
  title = {Making Monolingual Sentence Embeddings Multilingual using Knowledge Distillation},
  author = {Reimers, Nils and Gurevych, Iryna},
  booktitle = {Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing},
  year = {2020},
  pages = {4512--4525},
  doi = {10.18653/v1/2020.emnlp-main.365},
}
)"};

MethodEntry distill_method() {
  return {"distill", make_distill, describe_distill,
          "a student on the vectors, the margins or the scores of a frozen teacher (MSE, "
          "MarginMSE, KL divergence), across languages too",
          kDistillPaper};
}

}  // namespace contrastive::methods
