#include "core/io/sentencepiece_model.h"

#include <cstdint>
#include <cstring>
#include <unordered_set>

#include "core/base/error.h"
#include "core/io/tokenizer_folder.h"
#include "core/io/vocabulary_json.h"
#include "core/text/utf8.h"

namespace contrastive::io {
namespace {

// Reads the fields of one message one after the other.
class Message {
 public:
  // `begin`: the offset of `bytes` in the file, for error messages.
  Message(std::string_view bytes, size_t begin, const std::string& source)
      : bytes_(bytes), begin_(begin), source_(source) {}

  // Reads the next field. False after the last one.
  bool next() {
    if (at_ == bytes_.size()) return false;
    const uint64_t key = varint();
    number_ = key >> 3;
    wire_ = static_cast<int>(key & 7);
    check(number_ > 0 && number_ < (uint64_t{1} << 29), Status::kFormat, where(),
          "a field of number ", number_);
    switch (wire_) {
      case kVarint: value_ = varint(); break;
      case kFixed64: take(8); break;
      case kBytes: take(varint()); break;
      case kFixed32: take(4); break;
      default: fail(Status::kFormat, where(), "a field of the unknown wire type ", wire_);
    }
    return true;
  }

  uint64_t number() const { return number_; }
  std::string_view bytes() const {
    expect(kBytes);
    return part_;
  }
  Message message() const {
    return {bytes(), static_cast<size_t>(part_.data() - bytes_.data()) + begin_, source_};
  }
  int64_t integer() const {
    expect(kVarint);
    return static_cast<int64_t>(value_);
  }
  float real() const {
    expect(kFixed32);
    uint32_t bits = 0;
    for (size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(part_[i]);
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

 private:
  enum Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  std::string where() const { return cat(source_, ": at byte ", begin_ + at_, ": "); }
  void expect(int wire) const {
    check(wire_ == wire, Status::kFormat, where(), "field ", number_, " is of wire type ", wire_,
          ", not ", wire);
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      check(at_ < bytes_.size(), Status::kFormat, where(), "the file ends inside of a number");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail(Status::kFormat, where(), "a number of more than 64 bits");
  }

  void take(uint64_t size) {
    check(size <= bytes_.size() - at_, Status::kFormat, where(), "a field of ", size,
          " bytes, where ", bytes_.size() - at_, " are left");
    part_ = bytes_.substr(at_, static_cast<size_t>(size));
    at_ += static_cast<size_t>(size);
  }

  std::string_view bytes_;
  size_t begin_, at_ = 0;
  const std::string& source_;
  uint64_t number_ = 0, value_ = 0;
  int wire_ = 0;
  std::string_view part_;
};

SentencePieceModel::Piece read_piece(Message message, size_t index, const std::string& source) {
  SentencePieceModel::Piece piece;
  while (message.next()) {
    if (message.number() == 1) piece.text = message.bytes();
    if (message.number() == 2) piece.score = message.real();
    if (message.number() == 3) piece.type = static_cast<int>(message.integer());
  }
  const size_t valid = text::valid_utf8_prefix(piece.text);
  check(!piece.text.empty() && valid == piece.text.size(), Status::kFormat, source, ": piece ",
        index, piece.text.empty() ? " is empty" : " is not UTF-8");
  check(piece.type >= SentencePieceModel::kNormal && piece.type <= SentencePieceModel::kByte,
        Status::kFormat, source, ": piece ", index, " is of the unknown type ", piece.type);
  return piece;
}

}  // namespace

SentencePieceModel parse_sentencepiece_model(std::string_view bytes, const std::string& source) {
  SentencePieceModel model;
  Message root(bytes, 0, source);
  while (root.next()) {
    if (root.number() == 1) {
      check(static_cast<int64_t>(model.pieces.size()) < kMaxTokenizerEntries, Status::kLimit,
            source, ": more than ", kMaxTokenizerEntries, " pieces");
      model.pieces.push_back(read_piece(root.message(), model.pieces.size(), source));
    } else if (root.number() == 2) {
      Message trainer = root.message();
      while (trainer.next()) {
        if (trainer.number() == 3) model.model_type = trainer.integer();
        if (trainer.number() == 35) model.byte_fallback = trainer.integer() != 0;
        if (trainer.number() == 40) model.unknown = trainer.integer();
      }
    } else if (root.number() == 3) {
      Message normalizer = root.message();
      while (normalizer.next()) {
        if (normalizer.number() == 2) model.charsmap = normalizer.bytes();
      }
    }
  }
  check(!model.pieces.empty(), Status::kFormat, source, ": a SentencePiece model without a piece");
  return model;
}

void add_pieces_of_the_model(const SentencePieceModel& model, const text::Vocabulary& vocabulary,
                             std::vector<text::AddedToken>& tokens) {
  std::unordered_set<std::string> there;
  for (const text::AddedToken& token : tokens) there.insert(token.content);
  for (const SentencePieceModel::Piece& piece : model.pieces) {
    const bool control = piece.type == SentencePieceModel::kControl;
    if (!control && piece.type != SentencePieceModel::kUserDefined) continue;
    if (vocabulary.id(piece.text) < 0 || !there.insert(piece.text).second) continue;
    text::AddedToken token = special_token(piece.text);
    token.special = control;
    token.id = vocabulary.id(piece.text);
    tokens.push_back(std::move(token));
  }
}

}  // namespace contrastive::io
