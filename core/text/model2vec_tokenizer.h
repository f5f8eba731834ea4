// What model2vec makes of a tokenizer: a text is cut by characters first, so many for each token
// that it may have, and the unknown token has no vector.
#pragma once

#include <memory>

#include "core/text/tokenizer.h"

namespace contrastive::text {

class Model2vecTokenizer : public Tokenizer {
 public:
  // `unknown`: its id, -1 for none. The characters of a token are the median of all tokens of the
  // vocabulary.
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
  void skip_unknown(TokenBatch& batch) const;  // in the text that was appended last

  std::shared_ptr<const Tokenizer> all_;
  int32_t unknown_;
  int64_t characters_ = 0;  // of a token
};

}  // namespace contrastive::text
