#include "core/nn/packed_tokens.h"

#include "core/base/error.h"

namespace contrastive::nn {

void check_tokens(const EncoderOptions& options, const PackedTokens& tokens) {
  check(tokens.texts == 0 || tokens.offsets[0] == 0, Status::kArgument, "the first offset of a packed batch is not 0");
  for (int64_t text = 0; text < tokens.texts; ++text) {
    const int64_t length = tokens.length(text);
    check(length >= 1 && length <= options.max_tokens(), Status::kArgument, "text ", text, " has ", length, " tokens; the encoder takes 1 to ",
          options.max_tokens());
  }
  for (int64_t i = 0; i < tokens.tokens(); ++i) {
    const int64_t place = tokens.positions == nullptr ? 0 : tokens.positions[i];
    // Every row of the table may be asked for, RoBERTa's first ones as well: ConSERT's released code does.
    check(place >= -options.first_position() && place < options.max_tokens(), Status::kArgument, "position ", place, " is outside the encoder's ",
          options.max_tokens());
    check(tokens.ids[i] >= 0 && tokens.ids[i] < options.vocab_size, Status::kArgument, "token id ", tokens.ids[i],
          " is outside the encoder's vocabulary of ", options.vocab_size, ": tokenizer and encoder do not belong together");
    check(tokens.type_ids == nullptr || (tokens.type_ids[i] >= 0 && tokens.type_ids[i] < options.type_vocab_size), Status::kArgument,
          "token type ", tokens.type_ids == nullptr ? 0 : tokens.type_ids[i], " is outside the encoder's ", options.type_vocab_size, " types");
  }
}

}  // namespace contrastive::nn
