// The rows of the suites: every registered method with its defaults, and a table of further modes.
// A mode is tested only for what it may break although the method's default works; everything else
// is tested with the defaults.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/model_folder.h"
#include "core/torch/methods/registry.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {

enum class Examples {
  kAllKinds,  // pairs with labels 0 to 2 and none to two hard negatives, which work for every
              // method
  kSingleTexts,
  kTriplets,  // each pair's hard negative is the second text of another, sometimes in the same
              // batch; its label is a margin
  kClasses,   // labelled pairs, without hard negatives
  kLists,     // pairs with one hard negative, without labels
};

// A method in one of its modes.
struct Mode {
  std::string method;
  std::string name = "";  // "" for the default
  std::string keys =
      "{}";  // the keys of this mode, and the trainer's keys if the method's own would be slow
  Examples examples = Examples::kAllKinds;
  bool normalized =
      true;  // the start model ends in Normalize, after which a dot product is a cosine

  bool further() const { return !name.empty(); }
};

inline std::ostream& operator<<(std::ostream& out, const Mode& mode) {
  return out << mode.method << (mode.further() ? "_" : "") << mode.name;
}

// The rows that can train the family of CONTRASTIVE_CONTRACT_FAMILY. Prints why the others cannot.
inline std::vector<std::string> method_names() {
  std::vector<std::string> names;
  const char* family = std::getenv("CONTRASTIVE_CONTRACT_FAMILY");
  for (const MethodEntry& entry : all_methods()) {
    try {
      const auto check_shape = entry.describe({}).check_shape;
      if (family != nullptr && check_shape)
        check_shape(io::read_model_shape(fixtures() + "/families/" + family));
      names.emplace_back(entry.name);
    } catch (const Error& error) {
      if (error.status() != Status::kArgument)
        throw;  // the error is not that the method cannot train the family
      std::cout << "left out: " << error.message() << std::endl;
    }
  }
  return names;
}

inline std::vector<Mode> default_modes() {
  std::vector<Mode> modes;
  for (const std::string& name : method_names()) {
    if (find_method(name).describe({}).gives != Gives::kVectors) {
      // A reranker's default does not accept labels 0 to 2, so it learns from hard negatives,
      // slowly because of dropout in a model this small.
      modes.push_back(
          {name, "", cat(R"({"lr": 0.003, ")", name, R"(.dropout": false})"), Examples::kLists});
    } else if (name == "distill") {
      modes.push_back(
          {name, "", R"({"lr": 0.003})",
           Examples::kAllKinds});  // on ALBERT's shared layers the toy's rate only raises its loss
    } else {
      modes.push_back({name, "", "{}", Examples::kAllKinds});
    }
  }
  return modes;
}

// Modes that use other code than the method's default: passes, terms, states or parameters. CLEAR's
// double-batch is not listed: it is mlm with another default of batch_size.
inline std::vector<Mode> further_modes() {
  const std::string teacher = fixtures() + "/models/bert_st",
                    narrow_teacher = fixtures() + "/models/bert_st_old";
  const std::string synonyms = fixtures() + "/../methods_contract/synonyms.json";
  return {
      {"clsr", "residual_standardize",
       R"({"clsr.encoder_init": "residual", "clsr.hidden": 16, "clsr.input_norm": "standardize"})"},
      {"consert", "sup", R"({"consert.mode": "sup"})"},
      {"consert", "joint_adversarial",
       R"({"consert.mode": "joint", "consert.view1": "shuffle", "consert.view2": "adversarial"})"},
      {"mnrl", "dot_symmetric",
       R"({"mnrl.similarity": "dot", "mnrl.scale": 1, "mnrl.symmetric": true})",
       Examples::kAllKinds, false},
      {"mnrl", "lora", R"({"mnrl.lora_rank": 4, "mnrl.lora_targets": ["all"]})"},
      {"simcse", "lora_dropout",
       R"({"simcse.lora_rank": 4, "simcse.lora_dropout": 0.2, "simcse.lora_targets": ["query", "output", "ffn"]})"},
      {"consert", "lora", R"({"consert.lora_rank": 2})"},
      {"clear", "lora",
       R"({"clear.lora_rank": 4, "clear.lora_targets": ["value", "ffn"], "accumulate": 1})"},
      {"sgopt", "lora", R"({"sgopt.lora_rank": 4, "sgopt.teacher": "shared"})"},
      {"mnrl", "all_directions",
       R"({"mnrl.directions": ["query_to_doc", "query_to_query", "doc_to_query", "doc_to_doc"], "mnrl.hardness": "all_negatives"})"},
      {"mnrl", "guide",
       R"({"mnrl.guide": ")" + fixtures() + R"(/models/bert_st_old", "mnrl.guide_margin": 0.05})",
       Examples::kTriplets},
      {"scored", "angle", R"({"scored.loss": "angle"})"},
      {"scored", "mse", R"({"scored.loss": "mse", "scored.max_score": 2})"},
      {"triplet", "cosine", R"({"triplet.distance": "cosine", "triplet.margin": 0.5})",
       Examples::kTriplets},
      {"triplet", "manhattan", R"({"triplet.distance": "manhattan", "triplet.margin": 3})",
       Examples::kAllKinds, false},
      {"distill", "texts",
       R"({"distill.teacher": ")" + teacher + R"(", "distill.second_texts": "own"})"},
      {"distill", "single_texts", R"({"distill.teacher": ")" + teacher + R"("})",
       Examples::kSingleTexts, false},
      {"distill", "projection",
       R"({"distill.teacher": ")" + narrow_teacher + R"(", "distill.projection": "linear"})"},
      {"distill", "margins_of_vectors",
       R"({"distill.loss": "margin_mse", "distill.teacher": ")" + narrow_teacher + R"("})",
       Examples::kAllKinds, false},
      {"distill", "margins_of_the_data", R"({"distill.loss": "margin_mse"})", Examples::kTriplets},
      {"distill", "margins_of_a_reranker",
       R"({"distill.loss": "margin_mse", "distill.teacher": ")" + fixtures() +
           R"(/rerankers/bert"})"},
      {"distill", "scores",
       R"({"distill.loss": "scores", "distill.similarity": "cosine", "distill.teacher": ")" +
           narrow_teacher + R"("})"},
      {"mnrl", "matryoshka",
       R"({"matryoshka.dims": [32, 16, 8], "matryoshka.weights": [1, 0.5, 0.25]})"},
      {"mnrl", "matryoshka_drawn",
       R"({"matryoshka.dims": [32, 24, 16, 8], "matryoshka.dims_per_step": 2})",
       Examples::kTriplets},
      {"scored", "matryoshka", R"({"matryoshka.dims": [32, 7]})"},
      {"triplet", "matryoshka", R"({"triplet.margin": 0.5, "matryoshka.dims": [32, 16]})",
       Examples::kTriplets},
      {"simcse", "matryoshka", R"({"simcse.mlp": "none", "matryoshka.dims": [32, 16]})",
       Examples::kSingleTexts},
      {"consert", "matryoshka", R"({"matryoshka.dims": [32, 16], "matryoshka.dims_per_step": 1})"},
      {"clsr", "matryoshka",
       R"({"clsr.loss_on": "v", "clsr.hidden": 16, "clsr.dimension": 16, "matryoshka.dims": [16, 8]})"},
      {"distill", "matryoshka",
       R"({"distill.teacher": ")" + teacher + R"(", "matryoshka.dims": [32, 16]})"},
      {"tsdae", "untied", R"({"tsdae.tie_encoder_decoder": false, "tsdae.noise_ratio": 0.3})",
       Examples::kSingleTexts},
      {"tsdae", "lora",
       R"({"tsdae.lora_rank": 4, "tsdae.lora_dropout": 0.1, "tsdae.lora_targets": ["all"]})",
       Examples::kSingleTexts, false},
      {"reranker", "classes", R"({"reranker.loss": "classes", "reranker.labels": 3})",
       Examples::kClasses},
      {"reranker", "listwise", R"({"reranker.loss": "listwise"})", Examples::kLists},
      {"reranker", "lambda",
       R"({"reranker.loss": "lambda", "reranker.lambda_weights": "lambdarank"})", Examples::kLists},
      {"reranker", "teacher",
       R"({"reranker.loss": "margin-distillation", "reranker.teacher": ")" + fixtures() +
           R"(/rerankers/bert"})",
       Examples::kLists},
      {"reranker", "lora", R"({"reranker.lora_rank": 4, "reranker.lora_targets": ["all"]})",
       Examples::kLists},
      {"sgopt", "sg", R"({"sgopt.objective": "sg", "sgopt.layer_weights": ["1", "2", "1"]})"},
      {"sgopt", "opt1", R"({"sgopt.objective": "opt1"})"},
      // If the first negative is left out, the order of the examples matters too.
      {"sgopt", "opt2_code", R"({"sgopt.objective": "opt2", "sgopt.preset": "sgopt-code"})"},
      {"sgopt", "bt", R"({"sgopt.objective": "bt"})"},
      {"sgopt", "bt_sg_opt", R"({"sgopt.objective": "bt-sg-opt"})"},
      {"sgopt", "shared_teacher_dropout",
       R"({"sgopt.teacher": "shared", "sgopt.teacher_dropout": true})"},
      {"simcse", "dropout", R"({"simcse.positives": "dropout"})", Examples::kSingleTexts},
      {"simcse", "triplets",
       R"({"simcse.positives": "pairs", "simcse.hard_negative_weight": 2, "simcse.false_negatives": "mask"})",
       Examples::kTriplets},
      {"clear", "mlm", R"({"clear.objective": "mlm", "accumulate": 1})"},
      {"clear", "double_mlm_of_texts",
       R"({"clear.objective": "double-mlm", "clear.preset": "small"})"},
      // ReLU is not smooth at 0: with seed 1 a value differs from 0 only by rounding, its sign
      // depends on the processor, and ranks differ by 2e-5.
      {"clear", "clear_code", R"({"clear.preset": "clear-code", "accumulate": 1, "seed": 2})"},
      {"clear", "subs_new_token",
       R"({"clear.recipe": "subs+del-word", "clear.synonyms": ")" + synonyms +
           R"(", "clear.del_token": "new", "accumulate": 1})"},
  };
}

inline std::vector<Mode> all_modes() {
  std::vector<Mode> modes = default_modes();
  for (Mode& mode : further_modes()) modes.push_back(std::move(mode));
  return modes;
}

}  // namespace contrastive::methods
