// The config keys "reranker.*".
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/idle_keys.h"
#include "core/torch/methods/reranker/reranker.h"

namespace contrastive::methods {

void RerankerOptions::visit(OptionVisitor& v) {
  using objectives::LambdaWeights;
  v.choice(
      "loss", loss,
      {{"binary", RerankerLoss::kBinary},
       {"classes", RerankerLoss::kClasses},
       {"listwise", RerankerLoss::kListwise},
       {"listnet", RerankerLoss::kListNet},
       {"lambda", RerankerLoss::kLambda},
       {"distillation", RerankerLoss::kDistillation},
       {"margin-distillation", RerankerLoss::kMarginDistillation}},
      OptionDoc("what a score learns: binary = the label of its pair, from 0 to 1, by "
                "cross-entropy (a pair without a label counts as 1, its hard negatives as 0); "
                "classes = the class of its pair; listwise = to be the highest among the hard "
                "negatives, by cross-entropy over the list; listnet = the softmax of the list's "
                "labels; lambda = the order of the list's labels, weighted by the effect on NDCG; "
                "distillation = the score of a teacher (squared error); margin-distillation = a "
                "teacher's difference between text b and each hard negative (squared error)")
          .source("BinaryCrossEntropyLoss, CrossEntropyLoss, ListNetLoss, LambdaLoss, MSELoss, "
                  "MarginMSELoss of sentence-transformers"));
  v.integer("labels", labels, between(0, 65536),
            OptionDoc("number of logits of a new head; 0 = as many as the model has, or 1 if it is "
                      "not a reranker yet")
                .unit("labels"));
  v.real("positive_weight", positive_weight, above(0, 1e6),
         OptionDoc("how many wrong pairs a right one counts for; for binary")
             .source("sentence-transformers' pos_weight: 1"));
  v.choice("lambda_weights", lambda_weights,
           {{"ndcg-loss2++", LambdaWeights::kNdcgLoss2PlusPlus},
            {"ndcg-loss2", LambdaWeights::kNdcgLoss2},
            {"lambdarank", LambdaWeights::kLambdaRank},
            {"none", LambdaWeights::kNone}},
           OptionDoc("how much two documents in the wrong order count; for lambda")
               .source("sentence-transformers: NDCGLoss2PPScheme"));
  v.integer(
      "lambda_top", lambda_top, between(0, 1e6),
      OptionDoc(
          "only pairs with one of this many documents of the highest scores count; 0 = all pairs; "
          "for lambda")
          .source("sentence-transformers' k")
          .unit("documents"));
  v.text("teacher", teacher,
         "folder of a reranker with one label, whose scores before the activation are learnt; "
         "empty = the scores of the data; for distillation and margin-distillation");
  encoder.visit_all_but_pooling(v);
}

void RerankerOptions::validate(const Config& config) const {
  encoder.validate(config);
  reject_idle_keys(config, kPrefix,
                   {{loss != RerankerLoss::kBinary,
                     "it goes with reranker.loss = binary only",
                     {"positive_weight"}},
                    {loss != RerankerLoss::kLambda,
                     "it goes with reranker.loss = lambda only",
                     {"lambda_weights", "lambda_top"}},
                    {!distils(),
                     "it goes with reranker.loss = distillation or margin-distillation only",
                     {"teacher"}}});
  check(teacher.empty() || path_exists(teacher), Status::kNotFound,
        "config key 'reranker.teacher': ", teacher, ": there is no such folder");
}

}  // namespace contrastive::methods
