#include "core/text/splitter.h"

#include <algorithm>

#include "core/text/byte_bpe.h"
#include "core/text/normalizer_stage.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/script.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

bool is_white_space(char32_t c) { return (char_flags(c) & kSpace) != 0; }
bool is_punctuation(char32_t c) { return (char_flags(c) & kPunctuation) != 0; }

// Gives `count` bytes of a new text the position of byte `source` of `in`.
void place(const NormalizedText& in, size_t source, size_t count, NormalizedText& out) {
  if (in.begins.empty()) return;
  out.begins.insert(out.begins.end(), count, in.begins[source]);
  out.ends.insert(out.ends.end(), count, in.ends[source]);
}

// Splits every piece: cut(begin, end) of each piece appends to list.spare.
template <class Cut>
void cut_each(PieceList& list, const Cut& cut) {
  list.spare.clear();
  for (const Span& piece : list.pieces) cut(piece.begin, piece.end);
  list.pieces.swap(list.spare);
}

}  // namespace

NormalizedText& PieceList::fresh() {
  NormalizedText& made = text == &changed[0] ? changed[1] : changed[0];
  clear_text(made);
  return made;
}

void BehaviorSplit::push(size_t begin, size_t end) {
  if (end > begin) out_.push_back({begin, end});
}

void BehaviorSplit::add(size_t begin, size_t end, bool is_match) {
  if (behavior_ == SplitBehavior::kIsolated || behavior_ == SplitBehavior::kRemoved) {
    if (behavior_ == SplitBehavior::kIsolated || !is_match) push(begin, end);
    return;
  }
  const bool joins =
      has_last_ && (behavior_ == SplitBehavior::kContiguous       ? is_match == last_match_
                    : behavior_ == SplitBehavior::kMergedWithNext ? last_match_ && !is_match
                                                                  : is_match && !last_match_);
  if (joins) {
    last_.end = end;
  } else {
    if (has_last_) push(last_.begin, last_.end);
    last_ = {begin, end};
  }
  has_last_ = true;
  last_match_ = is_match;
}

void BehaviorSplit::finish() {
  if (has_last_) push(last_.begin, last_.end);
  has_last_ = last_match_ = false;
}

ClassSplitter::ClassSplitter(Is is, SplitBehavior behavior) : is_(is), behavior_(behavior) {
  for (char32_t c = 0; c < ascii_.size(); ++c) ascii_[c] = is(c);
}

void ClassSplitter::split(PieceList& list) const {
  const std::string_view text = list.text->bytes;
  cut_each(list, [&](size_t begin, size_t end) {
    BehaviorSplit out(behavior_, list.spare);
    size_t done = begin;
    for (size_t at = begin; at < end;) {
      const size_t from = at;
      const auto byte = static_cast<unsigned char>(text[at]);
      if (!(byte < 0x80 ? (++at, ascii_[byte]) : is_(decode_valid(text, at)))) continue;
      if (from > done) out.add(done, from, false);
      out.add(from, at, true);
      done = at;
    }
    if (end > done) out.add(done, end, false);
    out.finish();
  });
}

std::shared_ptr<const Splitter> whitespace_split() {
  return std::make_shared<ClassSplitter>(is_white_space, SplitBehavior::kRemoved);
}

std::shared_ptr<const Splitter> digits_split(bool individual) {
  return std::make_shared<ClassSplitter>(is_numeric, individual ? SplitBehavior::kIsolated
                                                                : SplitBehavior::kContiguous);
}

std::shared_ptr<const Splitter> punctuation_split(SplitBehavior behavior) {
  return std::make_shared<ClassSplitter>(is_punctuation, behavior);
}

void WordSplitter::split(PieceList& list) const {
  const std::string_view text = list.text->bytes;
  enum Kind { kGap, kWord, kOther };
  cut_each(list, [&](size_t begin, size_t end) {
    size_t run = begin;
    Kind kind = kGap;
    const auto finish = [&](size_t at) {
      if (kind != kGap && at > run) list.spare.push_back({run, at});
    };
    for (size_t at = begin; at < end;) {
      const size_t from = at;
      const char32_t c = decode_valid(text, at);
      const Kind now = is_word_char(c) ? kWord : is_white_space(c) ? kGap : kOther;
      if (now == kind) continue;
      finish(from);
      run = from;
      kind = now;
    }
    finish(end);
  });
}

void BertSplitter::split(PieceList& list) const {
  const std::string_view text = list.text->bytes;
  cut_each(list, [&](size_t begin, size_t end) {
    split_bert(text.substr(begin, end - begin),
               [&](size_t from, size_t to) { list.spare.push_back({begin + from, begin + to}); });
  });
}

void PatternSplitter::split(PieceList& list) const {
  const std::string_view text = list.text->bytes;
  cut_each(list, [&](size_t begin, size_t end) {
    list.matches.clear();
    pattern_->find(text.substr(begin, end - begin), list.matches);
    BehaviorSplit out(behavior_, list.spare);
    size_t done = begin;
    for (const Span& match : list.matches) {
      if (begin + match.begin > done) out.add(done, begin + match.begin, invert_);
      out.add(begin + match.begin, begin + match.end, !invert_);
      done = begin + match.end;
    }
    if (end > done) out.add(done, end, invert_);
    out.finish();
  });
}

void ScriptSplitter::split(PieceList& list) const {
  const std::string_view text = list.text->bytes;
  cut_each(list, [&](size_t begin, size_t end) {
    int16_t script = kAnyScript;
    size_t run = end;  // of this script
    for (size_t at = begin; at < end;) {
      const size_t from = at;
      const int16_t now = script_of(decode_valid(text, at));
      if (now == kAnyScript || now == script) continue;
      if (run < end) list.spare.push_back({run, from});
      run = from;
      script = now;
    }
    if (run < end) list.spare.push_back({run, end});
  });
}

void LengthSplitter::split(PieceList& list) const {
  const std::string_view text = list.text->bytes;
  cut_each(list, [&](size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
      const size_t from = at;
      for (int64_t i = 0; i < length_ && at < end; ++i) decode_valid(text, at);
      list.spare.push_back({from, at});
    }
  });
}

MetaspaceSplitter::MetaspaceSplitter(std::string replacement, Prepend prepend, bool split)
    : replacement_(std::move(replacement)), prepend_(prepend), split_(split) {}

void MetaspaceSplitter::split(PieceList& list) const {
  const NormalizedText& in = *list.text;
  const std::string_view text = in.bytes;
  NormalizedText& out = list.fresh();
  const size_t size = replacement_.size();
  cut_each(list, [&](size_t begin, size_t end) {
    size_t piece = out.storage.size();
    const bool has_one =
        text[begin] == ' ' || text.compare(begin, std::min(size, end - begin), replacement_) == 0;
    if (!has_one &&
        (prepend_ == Prepend::kAlways || (prepend_ == Prepend::kFirst && in.begins[begin] == 0))) {
      out.storage += replacement_;
      place(in, begin, size, out);
    }
    for (size_t at = begin; at < end;) {
      size_t next = std::min(text.substr(0, end).find(' ', at), end);
      if (next > at) append_text(in, at, next, out);
      if (next < end) {
        out.storage += replacement_;
        place(in, next, size, out);
        ++next;
      }
      at = next;
    }
    if (split_) {
      for (size_t at = out.storage.find(replacement_, piece + 1); at != std::string::npos;
           at = out.storage.find(replacement_, at + size)) {
        list.spare.push_back({piece, at});
        piece = at;
      }
    }
    list.spare.push_back({piece, out.storage.size()});
  });
  out.bytes = out.storage;
  list.text = &out;
}

void ByteLevelSplitter::split(PieceList& list) const {
  const NormalizedText& in = *list.text;
  NormalizedText& out = list.fresh();
  std::string spaced;  // a piece with a space before it
  cut_each(list, [&](size_t begin, size_t end) {
    std::string_view piece = in.bytes.substr(begin, end - begin);
    size_t added = 0;
    if (add_prefix_space_ && piece[0] != ' ') {
      spaced.assign(" ").append(piece);
      piece = spaced;
      added = 1;
    }
    const auto map = [&](size_t from, size_t to) {
      const size_t made = out.storage.size();
      for (size_t at = from; at < to; ++at) {
        const std::string& stand_in = byte_characters()[static_cast<unsigned char>(piece[at])];
        out.storage += stand_in;
        place(in, begin + (at < added ? 0 : at - added), stand_in.size(), out);
      }
      list.spare.push_back({made, out.storage.size()});
    };
    if (use_regex_) {
      split_gpt2(piece, map);
    } else {
      map(0, piece.size());
    }
  });
  out.bytes = out.storage;
  list.text = &out;
}

}  // namespace contrastive::text
