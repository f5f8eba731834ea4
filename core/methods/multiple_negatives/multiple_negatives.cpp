#include "core/methods/multiple_negatives/multiple_negatives.h"

#include <map>

#include "core/methods/ranked_texts.h"
#include "core/methods/registry.h"

namespace contrastive::methods {
namespace {

class MultipleNegatives : public Method {
 public:
  MultipleNegatives(const MethodContext& context, const MultipleNegativesOptions& options)
      : options_(options), encoder_(context, options.encoder), texts_(encoder_, prompt(options.anchor_prompt), prompt(options.candidate_prompt)) {
    // The dot product of what the model gives: where that is normalised, it is the cosine.
    if (encoder_.model().folder().normalize) options_.loss.similarity = objectives::Similarity::kCosine;
  }

  void tokenize(data::Batch& batch) const override { texts_.tokenize(batch); }

  Views views(const data::Batch& batch) override {
    if (!batch.tokens.empty()) return texts_.views(batch);
    data::Batch tokenized = batch;
    tokenize(tokenized);
    return texts_.views(tokenized);
  }

  LossTerms compare(const Views& views, const data::Batch& batch) override {
    LossTerms terms;
    terms.values.emplace_back("contrastive", ranked_loss(views, batch, options_.loss, repeated_));
    return terms;
  }

  std::vector<Parameter> parameters() const override { return encoder_.parameters(); }
  bool trains_encoder() const override { return true; }
  int64_t dimension() const override { return encoder_.dimension(); }
  void embed(const std::vector<std::string_view>& texts, float* embeddings, const Cancel* cancel) override {
    encoder_.embed_texts(texts, embeddings, cancel);
  }

  // With the prompts that it was trained with, under sentence-transformers' names for the two sides of a search.
  std::shared_ptr<model::SentenceEncoder> deliver(const libtorch::TensorMap& weights) const override {
    std::shared_ptr<model::SentenceEncoder> result = encoder_.deliver(weights);
    std::map<std::string, std::string> prompts = result->folder().prompts;
    if (!options_.anchor_prompt.empty()) prompts["query"] = options_.anchor_prompt;
    if (!options_.candidate_prompt.empty()) prompts["document"] = options_.candidate_prompt;
    result->set_prompts(std::move(prompts));
    return result;
  }

 private:
  Prompt prompt(const std::string& own) const {
    const bool by_default = own.empty() && options_.default_prompt;
    return {by_default ? default_prompt(encoder_.model()) : own, encoder_.model()};
  }

  MultipleNegativesOptions options_;
  TunedEncoder encoder_;
  RankedTexts texts_;
  RepeatedTexts repeated_{"mnrl.false_negatives"};
};

}  // namespace

void MultipleNegativesOptions::visit(OptionVisitor& v) {
  v.real("scale", loss.scale, above(0, 1e4),
         {"multiplies every similarity, 1 / temperature: 20 for cosines, 1 for dot products of vectors that are not normalized",
          "sentence-transformers: 20", ""});
  v.choice("similarity", loss.similarity, {{"cosine", objectives::Similarity::kCosine}, {"dot", objectives::Similarity::kDot}},
           {"how two vectors are compared; take the one that they will be searched with", "sentence-transformers: cosine", ""});
  v.flag("symmetric", loss.symmetric,
         {"also find each second text's first text, the mean of both directions: for pairs in which neither text is the question",
          "MultipleNegativesSymmetricRankingLoss", ""});
  v.real("hard_negative_weight", loss.hard_negative_weight, above(0, 1e6),
         {"how many ordinary negatives a pair's own hard negatives count for", "SimCSE's alpha; 1: sentence-transformers", ""});
  v.choice("false_negatives", loss.false_negatives, {{"keep", objectives::FalseNegatives::kKeep}, {"mask", objectives::FalseNegatives::kMask}},
           {"whether a candidate with the very text of the pair's first or second text counts as a negative; mask where texts repeat, as questions "
            "with several answers do",
            "keep: sentence-transformers", ""});
  v.flag("default_prompt", default_prompt,
         {"put the model's default prompt, where it has one, before the texts that the two keys below give no other", "", ""});
  v.text("anchor_prompt", anchor_prompt,
         {"text put before every first text, for models that were made with one, such as 'query: '; the trained model has it as its prompt 'query'", "",
          ""});
  v.text("candidate_prompt", candidate_prompt,
         {"text put before every second text and hard negative, such as 'passage: '; the trained model has it as its prompt 'document'", "", ""});
  encoder.visit(v);
}

void MultipleNegativesOptions::validate(const Config&) const { encoder.validate(); }

// What sentence-transformers' guides train with; 64 because the other texts of a batch are the negatives.
Config MultipleNegativesOptions::training_defaults() const {
  Config config;
  config.set_json("batch_size", 64);
  config.set_json("epochs", 1);
  config.set_json("lr", 2e-5);
  config.set_json("optimizer", "adamw");
  config.set_json("weight_decay", 0.01);
  config.set_json("schedule", "warmup-linear");
  config.set_json("warmup_ratio", 0.1);
  config.set_json("clip_norm", 1.0);
  return config;
}

MethodTraits describe_multiple_negatives(const Config& config) {
  MethodTraits traits = describe<MultipleNegativesOptions>(config);
  traits.hard_negatives = true;
  return traits;
}

std::unique_ptr<Method> make_multiple_negatives(const MethodContext& context) {
  return std::make_unique<MultipleNegatives>(context, read_options<MultipleNegativesOptions>(context.config, MultipleNegativesOptions::kPrefix));
}

constexpr Paper kMultipleNegativesPaper = {"multiple negatives ranking", "loss:MultipleNegativesRankingLoss", R"(@misc{henderson2017efficient,
  title = {Efficient Natural Language Response Suggestion for Smart Reply},
  author = {Henderson, Matthew and Al-Rfou, Rami and Strope, Brian and Sung, Yun-hsuan and Lukacs, Laszlo and Guo, Ruiqi and Kumar, Sanjiv and Miklos, Balint and Kurzweil, Ray},
  year = {2017},
  eprint = {1705.00652},
  archivePrefix = {arXiv},
}
)"};

MethodEntry multiple_negatives_method() {
  return {"mnrl", make_multiple_negatives, describe_multiple_negatives,
          "the whole encoder on pairs, each against the other pairs of the batch and hard negatives (MultipleNegativesRanking)",
          kMultipleNegativesPaper};
}

}  // namespace contrastive::methods
