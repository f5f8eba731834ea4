#include "core/text/byte_bpe_tokenizer.h"

#include <algorithm>

#include "core/host/per_thread.h"
#include "core/text/long_piece.h"
#include "core/text/pending_text.h"
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
  static const host::PerThread<std::vector<ByteBpe::Part>> buffers;
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

// Tokenises the pieces of a part that arrives bit by bit. A piece is complete when the text that
// ends it is there. A piece longer than a window goes through LongPiece in the meantime.
class ByteBpeTokenizer::Parts : public PartTokenizer {
 public:
  explicit Parts(const ByteBpeTokenizer& tokenizer)
      : tokenizer_(tokenizer), window_(tokenizer.parts().window),
        long_piece_(tokenizer.model_, window_) {}

  void take(const NormalizedText& piece, size_t begin, size_t end, TokenSequence& out) override {
    if (begin == end) return;
    if (at_start_ && tokenizer_.options_.add_prefix_space && piece.bytes[begin] != ' ')
      put_space(piece, begin);
    at_start_ = false;
    rest_.append(piece, begin, end);
    go_on(false, out);
  }

  void finish(TokenSequence& out) override {
    go_on(true, out);
    at_start_ = true;
  }

 private:
  // A space that is not in the text has the position of the text's first character.
  void put_space(const NormalizedText& piece, size_t begin) {
    NormalizedText space;
    space.bytes = " ";
    if (!piece.begins.empty()) {
      space.begins.assign(1, piece.begins[begin]);
      space.ends.assign(1, piece.ends[begin]);
    }
    rest_.append(space, 0, 1);
    added_space_ = true;
  }

  void go_on(bool ended, TokenSequence& out) {
    const std::string_view bytes = rest_.bytes();
    size_t at = 0;
    while (at < bytes.size()) {
      if (!in_long_) {
        const size_t end = tokenizer_.options_.use_regex ? gpt2_piece_end(bytes, at) : bytes.size();
        // A contraction has at most three bytes. Every other piece ends before the first available
        // character that does not belong to it.
        const bool known = ended || (end < bytes.size() && at + 3 <= bytes.size());
        if (known && end - at <= window_) {
          emit(tokenizer_.model_.merge(bytes.substr(at, end - at), buffer_), at, out);
          at = end;
          continue;
        }
        if (end - at <= window_ || (!known && tokenizer_.model_.drops_bytes())) break;
        if (tokenizer_.model_.drops_bytes()) {
          tokenizer_.model_.compute(bytes.substr(at, end - at), buffer_);
          emit({buffer_.data(), buffer_.size()}, at, out);
          at = end;
          continue;
        }
        in_long_ = true;
        long_class_ = gpt2_last_class(bytes.substr(at, end - at));
        seen_ = end;
      }
      const bool piece_ended = find_end(bytes, ended);
      const size_t used =
          long_piece_.advance(bytes.substr(at, seen_end_ - at), piece_ended, buffer_);
      if (used == 0) break;
      emit({buffer_.data(), buffer_.size()}, at, out);
      at += used;
      if (piece_ended && at == seen_end_) in_long_ = false;
    }
    rest_.drop(at);
    seen_ -= std::min(seen_, at);
  }

  // How far the long piece extends in the available text. True if it ends there. A run of white
  // space leaves its last character to what follows.
  bool find_end(std::string_view bytes, bool ended) {
    if (!tokenizer_.options_.use_regex) {
      seen_ = seen_end_ = bytes.size();
      return ended;
    }
    seen_ = gpt2_run_end(bytes, seen_, long_class_);
    seen_end_ = seen_;
    const bool goes_on_to_the_end = ended && seen_ == bytes.size();
    if (long_class_ == Gpt2Class::kSpace && !goes_on_to_the_end) {
      do {
        --seen_end_;
      } while ((static_cast<unsigned char>(bytes[seen_end_]) & 0xC0) == 0x80);
    }
    return goes_on_to_the_end || seen_ < bytes.size();
  }

  void emit(ByteBpe::Parts tokens, size_t at, TokenSequence& out) {
    const NormalizedText& text = rest_.text();
    for (size_t i = 0; i < tokens.size; ++i) {
      const ByteBpe::Part& token = tokens.data[i];
      if (out.aligned) {
        const int64_t first = text.begins[at];
        tokenizer_.add_trimmed(token.id, first, text.ends[at + token.length - 1],
                               added_space_ ? text.ends[at] - first : 1, out);
      } else {
        out.ids.push_back(token.id);
      }
      added_space_ = false;
      at += token.length;
    }
    out.settle();
  }

  const ByteBpeTokenizer& tokenizer_;
  size_t window_;
  PendingText rest_;
  bool at_start_ = true;
  bool added_space_ = false;  // rest_ begins with a space that is not in the text
  bool in_long_ = false;
  Gpt2Class long_class_ = Gpt2Class::kOther;
  size_t seen_ = 0,
         seen_end_ = 0;  // how far the long piece was examined, and how far it certainly extends
  LongPiece long_piece_;
  std::vector<ByteBpe::Part> buffer_;
};

std::unique_ptr<PartTokenizer> ByteBpeTokenizer::start_part() const {
  return std::make_unique<Parts>(*this);
}

}  // namespace contrastive::text
