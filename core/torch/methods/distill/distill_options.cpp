// The config keys "distill.*".
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/idle_keys.h"
#include "core/torch/methods/distill/distill.h"
#include "core/torch/methods/frozen_vectors.h"

namespace contrastive::methods {

void DistillOptions::visit(OptionVisitor& v) {
  v.choice("loss", loss,
           {{"embedding_mse", DistillLoss::kEmbeddingMse},
            {"margin_mse", DistillLoss::kMarginMse},
            {"scores", DistillLoss::kScores}},
           OptionDoc("what the student learns: embedding_mse = the teacher's vectors (squared "
                     "error); margin_mse = how far the teacher's score of a pair is above those of "
                     "its hard negatives; scores = the teacher's distribution over a pair's second "
                     "text and hard negatives")
               .source("MSELoss, MarginMSELoss, DistillKLDivLoss of sentence-transformers"));
  v.text("teacher", teacher,
         "folder of the teacher: a sentence encoder of any family, or for margin_mse and scores "
         "also a reranker. Empty = for embedding_mse, the unchanged start model: the second texts "
         "learn its vectors of the first texts; for the others, the data has the teacher's scores "
         "(data.scores), or for margin_mse, the label is the margin of a row's only hard negative");
  v.choice("second_texts", second_texts,
           {{"translations", SecondTexts::kTranslations}, {"own", SecondTexts::kOwn}},
           OptionDoc("for embedding_mse on pairs: translations = both texts learn the teacher's "
                     "vector of the first; own = every text, including hard negatives, learns the "
                     "teacher's vector of itself")
               .source("translations: Reimers and Gurevych, 2020"));
  v.choice("similarity", similarity,
           {{"cosine", objectives::Similarity::kCosine}, {"dot", objectives::Similarity::kDot}},
           OptionDoc("how the student, or a teacher that is a sentence encoder, scores a pair; for "
                     "margin_mse and scores")
               .source("sentence-transformers: dot"));
  v.real(
      "temperature", temperature, above(0, 1e4),
      OptionDoc(
          "divides the scores of student and teacher before they become probabilities; for scores")
          .source("sentence-transformers: 1"));
  v.choice("projection", projection,
           {{"none", StudentProjection::kNone}, {"linear", StudentProjection::kLinear}},
           "linear = a learnt layer maps the student's vectors to the teacher's dimension during "
           "training and is then discarded; for embedding_mse");
  v.flag("teacher_pca", teacher_pca,
         OptionDoc("reduce the teacher's vectors to the student's dimension by their principal "
                   "components on training texts; for embedding_mse")
             .source("sentence-transformers' model_distillation"));
  v.integer(
      "pca_texts", pca_texts, between(2, 1e7),
      OptionDoc(
          "number of training texts, drawn by the seed, that the components are computed from")
          .source("sentence-transformers' example: 20000")
          .unit("texts"));
  prompts.visit(v);
  encoder.visit(v);
}

void DistillOptions::validate(const Config& config) const {
  encoder.validate(config);
  const bool vectors = of_vectors();
  reject_idle_keys(
      config, kPrefix,
      {{!vectors,
        "it goes with distill.loss = embedding_mse only",
        {"second_texts", "projection", "teacher_pca"}},
       {vectors, "it goes with distill.loss = margin_mse or scores only", {"similarity"}},
       {loss != DistillLoss::kScores, "it goes with distill.loss = scores only", {"temperature"}},
       {!teacher_pca, "it goes with distill.teacher_pca only", {"pca_texts"}}});
  check(!teacher_pca || projection == StudentProjection::kNone, Status::kArgument,
        "config keys 'distill.projection' and 'distill.teacher_pca' exclude each other: the one "
        "widens the student's vectors, the other shortens the "
        "teacher's");
  check(!teacher_pca || !teacher.empty(), Status::kArgument,
        "config key 'distill.teacher_pca' is set, but without distill.teacher the start model is ",
        "its own teacher, of the same dimension");
  if (teacher.empty()) return;
  check(path_exists(teacher), Status::kNotFound, "config key 'distill.teacher': ", teacher,
        ": there is no such folder");
  if (vectors)
    check_gives_vectors("distill.teacher", teacher, "set distill.loss = margin_mse or scores");
}

MethodTraits describe_distill(const Config& config) {
  MethodTraits traits = describe<DistillOptions>(config);
  const auto options = read_options<DistillOptions>(config, DistillOptions::kPrefix);
  traits.needs_pairs = !options.of_vectors();
  traits.needs_labels = options.scores_in_data();
  if (traits.needs_labels) traits.needed_by = "config key 'distill.loss' without distill.teacher";
  else if (traits.needs_pairs) traits.needed_by = "config key 'distill.loss'";
  traits.hard_negatives = options.reads_negatives();
  if (options.projection == StudentProjection::kNone) traits.sentence_vectors = kRankedVectors;
  else traits.uncut = "distill.projection takes the whole vectors; set it to none";
  traits.scores = options.scores_in_data();
  traits.caches = !options.scores_in_data();
  return traits;
}

}  // namespace contrastive::methods
