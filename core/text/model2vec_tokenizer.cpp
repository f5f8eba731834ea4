#include "core/text/model2vec_tokenizer.h"

#include <algorithm>
#include <vector>

namespace contrastive::text {
namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

}  // namespace

Model2vecTokenizer::Model2vecTokenizer(std::shared_ptr<const Tokenizer> all, int32_t unknown)
    : all_(std::move(all)), unknown_(unknown) {
  std::vector<int64_t> lengths;
  for (int64_t id = 0; id < all_->vocab_size(); ++id) {
    const std::string token = all_->token(static_cast<int32_t>(id));
    if (!token.empty())
      lengths.push_back(std::count_if(token.begin(), token.end(), begins_character));
  }
  if (lengths.empty()) return;
  std::sort(lengths.begin(), lengths.end());
  characters_ = (lengths[(lengths.size() - 1) / 2] + lengths[lengths.size() / 2]) / 2;
}

std::string_view Model2vecTokenizer::cut(std::string_view text, int64_t max_length) const {
  if (max_length <= 0 || characters_ == 0 ||
      static_cast<int64_t>(text.size()) / characters_ < max_length)
    return text;
  int64_t left = max_length * characters_;
  for (size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && left-- == 0) return text.substr(0, i);
  }
  return text;
}

void Model2vecTokenizer::append(std::string_view text, int64_t max_length,
                                TokenBatch& batch) const {
  all_->append(cut(text, max_length), max_length, batch);
  skip_unknown(batch);
}

void Model2vecTokenizer::append_pair(std::string_view a, std::string_view b, int64_t max_length,
                                     TokenBatch& batch) const {
  all_->append_pair(cut(a, max_length), cut(b, max_length), max_length, batch);
  skip_unknown(batch);
}

void Model2vecTokenizer::skip_unknown(TokenBatch& batch) const {
  const auto first = static_cast<size_t>(batch.offsets[batch.offsets.size() - 2]);
  size_t to = first;
  for (size_t from = first; from < batch.ids.size(); ++from) {
    if (batch.ids[from] == unknown_) continue;
    batch.ids[to] = batch.ids[from];
    batch.type_ids[to++] = batch.type_ids[from];
  }
  batch.full_lengths.back() -= static_cast<int32_t>(batch.ids.size() - to);
  batch.ids.resize(to);
  batch.type_ids.resize(to);
  batch.offsets.back() = static_cast<int64_t>(to);
}

Encoding Model2vecTokenizer::known(Encoding encoding) const {
  Encoding kept;
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    if (encoding.ids[i] == unknown_) continue;
    kept.ids.push_back(encoding.ids[i]);
    kept.type_ids.push_back(encoding.type_ids[i]);
    kept.begins.push_back(encoding.begins[i]);
    kept.ends.push_back(encoding.ends[i]);
  }
  kept.full_length =
      encoding.full_length - static_cast<int64_t>(encoding.ids.size() - kept.ids.size());
  return kept;
}

}  // namespace contrastive::text
