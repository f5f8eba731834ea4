// Tokenises like model2vec: a text is first cut after a number of characters for each token that it
// may have, and unknown tokens are omitted.
#pragma once

#include <memory>

#include "core/text/tokenizer.h"

namespace contrastive::text {

class Model2vecTokenizer : public Tokenizer {
 public:
  // `unknown`: the id of the unknown token, -1 for none. The number of characters for each token is
  // the median length of the vocabulary's tokens.
  Model2vecTokenizer(std::shared_ptr<const Tokenizer> all, int32_t unknown);

  void append(std::string_view text, int64_t max_length, TokenBatch& batch) const override;
  void append_pair(std::string_view a, std::string_view b, int64_t max_length,
                   TokenBatch& batch) const override;
  Encoding encode(std::string_view text, int64_t max_length) const override {
    return known(all_->encode(cut(text, max_length), max_length));
  }
  Encoding encode_pair(std::string_view a, std::string_view b, int64_t max_length) const override {
    return known(all_->encode_pair(cut(a, max_length), cut(b, max_length), max_length));
  }
  int64_t vocab_size() const override { return all_->vocab_size(); }
  std::string token(int32_t id) const override { return all_->token(id); }
  int32_t id(std::string_view token) const override { return all_->id(token); }
  const SpecialIds& special_ids() const override { return all_->special_ids(); }
  bool is_special(int32_t id) const override { return all_->is_special(id); }
  int64_t model_max_length() const override { return all_->model_max_length(); }
  const std::string& kind() const override { return all_->kind(); }
  InvalidUtf8 invalid_utf8() const override { return all_->invalid_utf8(); }

 private:
  std::string_view cut(std::string_view text, int64_t max_length) const;
  Encoding known(Encoding encoding) const;
  void skip_unknown(TokenBatch& batch) const;  // in the last text of the batch

  std::shared_ptr<const Tokenizer> all_;
  int32_t unknown_;
  int64_t characters_ = 0;  // for each token
};

}  // namespace contrastive::text
