// A cross-encoder, or reranker: tokenizer + encoder::Encoder + classification head. It reads two
// texts together, such as a query and a document, and gives a score for each of its labels. Scores
// are those of sentence-transformers' CrossEncoder.
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

// How pairs are scored; every field has "as the model folder says" as its default.
struct ScoreOptions {
  std::string activation;  // of the scores: "" = the model's; "identity" gives the logits;
                           // "sigmoid", ...; "softmax" over the labels of a pair
  std::optional<std::string> prompt;  // put before the first text of a pair ("" = none); without
                                      // one the model's default prompt, if it has one
  std::string prompt_name;   // or the name of one of the model's prompts; kArgument when unknown
  int64_t max_length = 0;    // ids of a pair; 0 = the model's
  int64_t batch_tokens = 0;  // token budget of one packed batch; 0 = chosen
  const Cancel* cancel = nullptr;  // looked at between batches
};

class CrossEncoder : public Model {
 public:
  // Loads a folder of ...ForSequenceClassification, bare or as sentence-transformers' CrossEncoder
  // saves it.
  static std::shared_ptr<CrossEncoder> load(const std::string& path,
                                            const CheckpointOptions& options = {});
  // `folder.classifier` must be there.
  explicit CrossEncoder(io::ModelFolder folder, const CheckpointOptions& options = {});
  // `body` with a head behind it, in the place of what stood behind its pooling. Both share the
  // encoder's weights, and the head's tensors are shared with `head`: who trains them scores with
  // what they are now.
  CrossEncoder(const SentenceEncoder& body, io::Classifier head);
  // The reranker without its head, whose weights it shares: an encoder that embeds texts as the
  // head reads them.
  std::shared_ptr<SentenceEncoder> body() const;
  // An independent copy with the same weights.
  std::shared_ptr<CrossEncoder> snapshot() const;

  // `scores` [pairs, labels] row-major; `token_counts`, when not null, [pairs]: ids of each pair
  // before truncation. A pair's scores do not depend on the others beyond last bits. Any number of
  // threads at once. kArgument for options that do not fit the model, kNumeric with the index of
  // the first pair whose scores are not finite, kFormat for malformed UTF-8 where the model was
  // loaded so.
  void score(const std::vector<TextPair>& pairs, const ScoreOptions& options, float* scores,
             int32_t* token_counts = nullptr) const;
  void check_options(const ScoreOptions& options) const;  // kArgument

  const std::vector<std::string>& labels() const;
  int64_t label_count() const { return static_cast<int64_t>(labels().size()); }
  int64_t max_length() const override;  // ids of a pair that is scored whole
  const text::Tokenizer& tokenizer() const;
  const encoder::Encoder& encoder() const override;
  const io::ModelFolder& folder() const override;
  void set_card(io::ModelCard card) override;

  void save(
      const std::string& path) const override;  // a folder that sentence-transformers' CrossEncoder
                                                // loads; see io::write_model_folder. kState in int8
  std::string fingerprint() const override;
  Json info() const override;  // for cs_model_info

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

// Pairs that are cut to their special tokens all score alike: kArgument, "`what` is ...", where a
// pair of `length` tokens has no room for one of each text.
void check_pair_room(const text::Tokenizer& tokenizer, int64_t length, const char* what);

}  // namespace contrastive::model
