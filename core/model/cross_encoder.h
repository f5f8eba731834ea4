// A cross-encoder, or reranker: tokenizer + encoder::Encoder + classification head. It reads two
// texts together, such as a query and a document, and computes a score for each of its labels.
// Scores are the same as those of sentence-transformers' CrossEncoder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/encoder/encoder.h"
#include "core/io/model_folder.h"
#include "core/model/load_options.h"
#include "core/model/model.h"
#include "core/model/sentence_encoder.h"
#include "core/model/token_packing.h"

namespace contrastive::model {

// How to score pairs. By default, every field uses the setting of the model folder.
struct ScoreOptions {
  std::string activation;  // applied to the scores: "" for the model's; "identity" gives the
                           // logits; "sigmoid", ...; "softmax" over the labels of a pair
  std::optional<std::string> prompt;  // text before the first text of a pair ("" for none); if
                                      // unset, the model's default prompt, if any
  std::string prompt_name;   // or the name of one of the model's prompts; kArgument if unknown
  int64_t max_length = 0;    // ids of a pair; 0 for the model's
  int64_t batch_tokens = 0;  // token budget of one packed batch; 0 for automatic
  const Cancel* cancel = nullptr;  // checked between batches
};

class CrossEncoder : public Model {
 public:
  // Loads a folder of a ...ForSequenceClassification model, as transformers or as
  // sentence-transformers' CrossEncoder saves it.
  static std::shared_ptr<CrossEncoder> load(const std::string& path,
                                            const CheckpointOptions& options = {});
  // Requires `folder.classifier`.
  explicit CrossEncoder(io::ModelFolder folder, const CheckpointOptions& options = {});
  // Puts `head` on `body`, replacing everything after its pooling. Both share the encoder's
  // weights, and the head's tensors are shared with `head`: if they are trained, this model scores
  // with the trained values.
  CrossEncoder(const SentenceEncoder& body, io::Classifier head);
  // The reranker without its head, sharing its weights: an encoder that embeds texts with the
  // pooling of the head.
  std::shared_ptr<SentenceEncoder> body() const;
  // An independent copy with the same weights.
  std::shared_ptr<CrossEncoder> snapshot() const;

  // Writes `scores` [pairs, labels], row-major, and if `token_counts` is not null, the ids of each
  // pair before truncation [pairs]. A pair's scores do not depend on the other pairs, except for
  // the last bits. Any number of threads may call this at once. Throws kArgument for options that
  // do not fit the model, kNumeric with the index of the first pair whose scores are not finite,
  // and kFormat for malformed UTF-8 if the model was loaded with InvalidUtf8::kError.
  void score(const std::vector<TextPair>& pairs, const ScoreOptions& options, float* scores,
             int32_t* token_counts = nullptr) const;
  void check_options(const ScoreOptions& options) const;  // kArgument

  const std::vector<std::string>& labels() const;
  int64_t label_count() const { return static_cast<int64_t>(labels().size()); }
  int64_t max_length() const override;  // the most ids of a pair that are not truncated
  const text::Tokenizer& tokenizer() const;
  const encoder::Encoder& encoder() const override;
  const Replicas& replicas() const override;
  const io::ModelFolder& folder() const override;
  void set_card(io::ModelCard card) override;

  void save(
      const std::string& path) const override;  // a folder for sentence-transformers' CrossEncoder;
                                                // see io::write_model_folder. kState in int8
  std::string fingerprint() const override;
  Json info() const override;  // for cs_model_info

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

// Throws kArgument, "`what` is ...", if a pair of `length` tokens has no room for one token of each
// text: pairs that are cut down to their special tokens would all get the same score.
void check_pair_room(const text::Tokenizer& tokenizer, int64_t length, const char* what);

}  // namespace contrastive::model
