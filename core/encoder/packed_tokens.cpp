#include "core/encoder/packed_tokens.h"

#include "core/base/error.h"

namespace contrastive::encoder {

std::vector<int32_t> position_rows(const EncoderOptions& options, const PackedTokens& tokens) {
  std::vector<int32_t> rows(static_cast<size_t>(tokens.tokens()));
  const int64_t first = options.first_position();
  for (int64_t text = 0; text < tokens.texts; ++text) {
    int64_t own = first;
    for (int64_t t = tokens.offsets[text]; t < tokens.offsets[text + 1]; ++t) {
      const bool skipped = options.skips_padding() && tokens.ids[t] == options.pad_token_id;
      int64_t row = skipped ? options.pad_token_id : own;
      if (!skipped) ++own;
      if (tokens.positions != nullptr && tokens.positions[t] != PackedTokens::kOwnPlace) row = first + tokens.positions[t];
      rows[static_cast<size_t>(t)] = static_cast<int32_t>(row);
    }
  }
  return rows;
}

void check_tokens(const EncoderOptions& options, const PackedTokens& tokens) {
  check(tokens.texts == 0 || tokens.offsets[0] == 0, Status::kArgument, "the first offset of a packed batch is not 0");
  for (int64_t text = 0; text < tokens.texts; ++text) {
    const int64_t length = tokens.length(text);
    check(length >= 1 && length <= options.max_tokens(), Status::kArgument, "text ", text, " has ", length, " tokens; the encoder takes 1 to ",
          options.max_tokens());
  }
  for (int64_t i = 0; i < tokens.tokens(); ++i) {
    const bool own_place = tokens.positions == nullptr || tokens.positions[i] == PackedTokens::kOwnPlace;
    const int64_t place = own_place ? 0 : tokens.positions[i];
    // Every row of the table may be asked for, RoBERTa's first ones as well: ConSERT's released code does.
    check(place >= -options.first_position() && place < options.max_tokens(), Status::kArgument, "position ", place, " is outside the encoder's ",
          options.max_tokens());
    check(tokens.ids[i] >= 0 && tokens.ids[i] < options.vocab_size, Status::kArgument, "token id ", tokens.ids[i],
          " is outside the encoder's vocabulary of ", options.vocab_size, ": tokenizer and encoder do not belong together");
    check(tokens.type_ids == nullptr || (tokens.type_ids[i] >= 0 && tokens.type_ids[i] < options.type_vocab_size), Status::kArgument,
          "token type ", tokens.type_ids == nullptr ? 0 : tokens.type_ids[i], " is outside the encoder's ", options.type_vocab_size, " types");
  }
}

}  // namespace contrastive::encoder
