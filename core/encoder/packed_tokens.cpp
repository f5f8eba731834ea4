#include "core/encoder/packed_tokens.h"

#include "core/base/error.h"

namespace contrastive::encoder {

std::vector<int32_t> places(const PackedTokens& tokens) {
  std::vector<int32_t> all(static_cast<size_t>(tokens.tokens()));
  for (int64_t text = 0; text < tokens.texts; ++text) {
    for (int64_t t = tokens.offsets[text]; t < tokens.offsets[text + 1]; ++t) {
      const bool own =
          tokens.positions == nullptr || tokens.positions[t] == PackedTokens::kOwnPlace;
      all[static_cast<size_t>(t)] =
          own ? static_cast<int32_t>(t - tokens.offsets[text]) : tokens.positions[t];
    }
  }
  return all;
}

std::vector<int32_t> position_rows(const Architecture& architecture, const PackedTokens& tokens) {
  std::vector<int32_t> rows(static_cast<size_t>(tokens.tokens()));
  const int64_t first = architecture.first_position;
  for (int64_t text = 0; text < tokens.texts; ++text) {
    int64_t own = first;
    for (int64_t t = tokens.offsets[text]; t < tokens.offsets[text + 1]; ++t) {
      const bool skipped = architecture.skips_padding && tokens.ids[t] == architecture.pad_token_id;
      int64_t row = skipped ? architecture.pad_token_id : own;
      if (!skipped) ++own;
      if (tokens.positions != nullptr && tokens.positions[t] != PackedTokens::kOwnPlace)
        row = first + tokens.positions[t];
      rows[static_cast<size_t>(t)] = static_cast<int32_t>(row);
    }
  }
  return rows;
}

void check_tokens(const Architecture& architecture, const PackedTokens& tokens) {
  check(tokens.texts == 0 || tokens.offsets[0] == 0, Status::kArgument,
        "the first offset of a packed batch is not 0");
  for (int64_t text = 0; text < tokens.texts; ++text) {
    const int64_t length = tokens.length(text);
    const int64_t least = architecture.num_hidden_layers > 0
                              ? 1
                              : 0;  // a text of static embeddings has no special tokens
    check(length >= least && length <= architecture.max_tokens(), Status::kArgument, "text ", text,
          " has ", length, " tokens; the encoder takes 1 to ", architecture.max_tokens());
  }
  for (int64_t i = 0; i < tokens.tokens(); ++i) {
    const bool own_place =
        tokens.positions == nullptr || tokens.positions[i] == PackedTokens::kOwnPlace;
    const int64_t place = own_place ? 0 : tokens.positions[i];
    // A position may use every row of the table, also those before the first position: ConSERT's
    // released code does.
    check(place >= -architecture.first_position && place < architecture.max_tokens(),
          Status::kArgument, "position ", place, " is outside the encoder's ",
          architecture.max_tokens());
    check(tokens.ids[i] >= 0 && tokens.ids[i] < architecture.vocab_size, Status::kArgument,
          "token id ", tokens.ids[i], " is outside the encoder's vocabulary of ",
          architecture.vocab_size, ": tokenizer and encoder do not belong together");
    check(tokens.type_ids == nullptr || architecture.type_vocab_size == 0 ||
              (tokens.type_ids[i] >= 0 && tokens.type_ids[i] < architecture.type_vocab_size),
          Status::kArgument, "token type ", tokens.type_ids == nullptr ? 0 : tokens.type_ids[i],
          " is outside the encoder's ", architecture.type_vocab_size, " types");
  }
}

}  // namespace contrastive::encoder
