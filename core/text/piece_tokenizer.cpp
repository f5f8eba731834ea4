#include "core/text/piece_tokenizer.h"

#include <algorithm>

#include "core/system/per_thread.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

// The number of characters at the beginning and at the end of a token that trimming treats as
// space.
std::pair<int32_t, int32_t> count_spaces(std::string_view token) {
  int32_t leading = 0, trailing = 0;
  bool begins = true;
  for (size_t at = 0; at < token.size();) {
    const bool space = is_trimmed(decode_utf8(token, at));
    begins = begins && space;
    leading += begins ? 1 : 0;
    trailing = space ? trailing + 1 : 0;
  }
  return {leading, trailing};
}

}  // namespace

struct PieceTokenizer::Buffers {
  PieceList list;
  std::vector<TokenPart> parts;

  static Buffers& of_thread() {
    static const system::PerThread<Buffers> buffers;
    Buffers& mine = buffers.here();
    constexpr size_t kKeep =
        size_t{1} << 20;  // a huge text must not hold its memory as long as the thread lives
    const PieceList& list = mine.list;
    if (std::max({list.pieces.capacity(), list.spare.capacity(), list.matches.capacity(),
                  list.changed[0].storage.capacity(), list.changed[1].storage.capacity(),
                  list.changed[0].begins.capacity(), list.changed[1].begins.capacity(),
                  mine.parts.capacity()}) > kKeep) {
      mine = Buffers();
    }
    return mine;
  }
};

PieceTokenizer::PieceTokenizer(TokenizerParts given, Splitters splitters,
                               std::shared_ptr<const PieceModel> model, std::string kind)
    : PipelineTokenizer(std::move(given), std::move(kind)), splitters_(std::move(splitters)),
      model_(std::move(model)) {
  needs_places_ = std::any_of(splitters_.begin(), splitters_.end(),
                              [](const auto& splitter) { return splitter->needs_places(); });
  if (!parts().post_processor.trim_offsets) return;
  for (const std::string& token : parts().vocabulary->tokens())
    spaces_.push_back(count_spaces(token));
}

void PieceTokenizer::tokenize(const NormalizedText& text, size_t begin, size_t end,
                              TokenSequence& out) const {
  Buffers& buffers = Buffers::of_thread();
  PieceList& list = buffers.list;
  list.text = &text;
  list.pieces.assign(1, {begin, end});
  for (const auto& splitter : splitters_) splitter->split(list);
  for (const Span& piece : list.pieces) tokenize_piece(*list.text, piece, buffers, out);
}

void PieceTokenizer::tokenize_piece(const NormalizedText& text, const Span& piece, Buffers& buffers,
                                    TokenSequence& out) const {
  const std::string_view bytes = text.bytes.substr(piece.begin, piece.end - piece.begin);
  for (size_t at = 0; at < bytes.size();) {
    const size_t stretch = model_->stretch_end(bytes, at);
    const TokenParts tokens = model_->tokens(bytes.substr(at, stretch - at), buffers.parts);
    size_t first = piece.begin + at, last = first;
    for (size_t i = 0; i < tokens.size; ++i) {
      const TokenPart& token = tokens.data[i];
      if (!out.aligned) {
        out.ids.push_back(token.id);
        continue;
      }
      if (token.length > 0) {
        first = last;
        last += token.length;
      }
      int64_t begin = text.begins[first], end = text.ends[last - 1];
      if (!spaces_.empty()) {
        const auto [leading, trailing] = token.id == model_->text_token()
                                             ? count_spaces(text.bytes.substr(first, last - first))
                                             : spaces_[static_cast<size_t>(token.id)];
        // White space is as wide as its source.
        int64_t leading_bytes = 0, trailing_bytes = 0;
        size_t space = first;
        for (int32_t count = 0; count < leading && space < last; ++count) {
          leading_bytes += text.ends[space] - text.begins[space];
          decode_valid(text.bytes, space);
        }
        space = last;
        for (int32_t count = 0; count < trailing && space > first; ++count) {
          do --space;
          while (space > first && (static_cast<unsigned char>(text.bytes[space]) & 0xC0) == 0x80);
          trailing_bytes += text.ends[space] - text.begins[space];
        }
        parts().post_processor.trim(leading, leading_bytes, trailing_bytes, out.ids.empty(), begin,
                                    end);
      }
      out.add(token.id, begin, end);
    }
    at = stretch;
  }
}

}  // namespace contrastive::text
