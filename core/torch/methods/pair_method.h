// The base of the methods that train the whole sentence encoder on pairs, with or without hard
// negatives: everything but the loss. The transformer and the dense modules after its pooling
// train. Each side of a pair may have a prompt.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/torch/methods/ranked_texts.h"
#include "core/torch/methods/tuned_encoder.h"

namespace contrastive::methods {

// The keys for prompts before the texts of a pair.
struct PairPrompts {
  bool default_prompt = true;
  std::string anchor, candidate;

  void visit(OptionVisitor& v);
};

// The encoder options of a method with the keys behind `prefix`, with dense modules that train.
TunedEncoderOptions whole_encoder(const char* prefix);
// The training defaults of sentence-transformers' guides, except for batch size and epochs.
Config usual_training(int64_t batch_size, int64_t epochs);

class PairMethod : public EncoderMethod {
 public:
  // If `negatives` is false, the hard negatives of the examples are ignored.
  PairMethod(const MethodContext& context, const TunedEncoderOptions& options,
             const PairPrompts& prompts, bool negatives);

  void tokenize(data::Batch& batch) const override { texts_.tokenize(batch); }
  Views views(const data::Batch& batch) override;  // those of RankedTexts
  std::vector<Parameter> parameters() const override { return encoder_.parameters(); }
  bool trains_encoder() const override { return true; }
  int64_t dimension() const override { return encoder_.dimension(); }
  void embed(const std::vector<std::string_view>& texts, float* embeddings,
             const Cancel* cancel) override {
    encoder_.embed_texts(texts, embeddings, cancel);
  }
  std::map<std::string, std::string> prompts() const override;
  // The model has the prompts that it was trained with, under sentence-transformers' names for the
  // two sides of a search.
  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override;

 protected:
  const TunedEncoder& encoder() const { return encoder_; }
  Views anchors(const data::Batch& batch);  // those of RankedTexts for single texts
  // The vectors as the delivered model gives them: of length 1 if it ends in a Normalize module.
  at::Tensor finished(const at::Tensor& vectors) const;

 private:
  Prompt prompt(const std::string& own) const;

  PairPrompts prompts_;
  TunedEncoder encoder_;
  RankedTexts texts_;
};

}  // namespace contrastive::methods
