#include "core/text/byte_bpe_tokenizer.h"

#include <algorithm>

#include "core/system/per_thread.h"
#include "core/text/pre_tokenizer.h"

namespace contrastive::text {
namespace {

// The number of `space`s at the beginning and at the end of `token`.
std::pair<int32_t, int32_t> count_spaces(std::string_view token, std::string_view space) {
  const size_t size = space.size();
  int32_t leading = 0, trailing = 0;
  for (std::string_view rest = token; rest.substr(0, size) == space; rest.remove_prefix(size))
    ++leading;
  for (std::string_view rest = token;
       rest.size() >= size && rest.substr(rest.size() - size) == space; rest.remove_suffix(size))
    ++trailing;
  return {leading, trailing};
}

}  // namespace

ByteBpeTokenizer::ByteBpeTokenizer(TokenizerParts given, const ByteBpe::Merges& merges,
                                   const ByteBpeOptions& model_options,
                                   const ByteLevelOptions& options)
    : PipelineTokenizer(std::move(given), "byte-bpe"),
      model_(*parts().vocabulary, merges, model_options, parts().source), options_(options) {
  for (const std::string& token : parts().vocabulary->tokens())
    spaces_.push_back(count_spaces(token, byte_characters()[' ']));
}

void ByteBpeTokenizer::tokenize(const NormalizedText& text, size_t begin, size_t end,
                                TokenSequence& out) const {
  const std::string_view part = text.bytes.substr(begin, end - begin);
  const bool needs_space = options_.add_prefix_space && part[0] != ' ';
  const std::string with_space = needs_space ? " " + std::string(part) : "";
  const std::string_view whole = needs_space ? std::string_view(with_space) : part;
  const auto low = static_cast<int64_t>(begin);
  const auto piece = [&](size_t from, size_t to) {
    tokenize_piece(whole.substr(from, to - from),
                   {text, low, low + static_cast<int64_t>(from) - (needs_space ? 1 : 0)}, out);
  };
  if (options_.use_regex) {
    split_gpt2(whole, piece);
  } else {
    piece(0, whole.size());
  }
}

void ByteBpeTokenizer::tokenize_piece(std::string_view piece, const Place& place,
                                      TokenSequence& out) const {
  static const system::PerThread<std::vector<ByteBpe::Part>> buffers;
  const ByteBpe::Parts tokens = model_.merge(piece, buffers.here());
  int64_t at = 0;
  for (size_t i = 0; i < tokens.size; ++i) {
    const ByteBpe::Part& token = tokens.data[i];
    if (out.aligned) {
      add_aligned(token.id, at, at + token.length, place, out);
    } else {
      out.ids.push_back(token.id);
    }
    at += token.length;
  }
}

void ByteBpeTokenizer::add_aligned(int32_t id, int64_t begin, int64_t end, const Place& place,
                                   TokenSequence& out) const {
  // All bytes of a character come from the whole character. So does a space that was put before the
  // first character: it is as wide as that character.
  const auto byte = [&](int64_t at) {
    return static_cast<size_t>(std::max(place.low, place.shift + at));
  };
  const int64_t first = place.text.begins[byte(begin)];
  add_trimmed(id, first, place.text.ends[byte(end - 1)],
              place.shift + begin < place.low ? place.text.ends[byte(begin)] - first : 1, out);
}

void ByteBpeTokenizer::add_trimmed(int32_t id, int64_t first, int64_t last, int64_t width,
                                   TokenSequence& out) const {
  const auto [leading, trailing] = spaces_[id];
  parts().post_processor.trim(leading, leading * width, trailing * width, out.ids.empty(), first,
                              last);
  out.add(id, first, last);
}

}  // namespace contrastive::text
