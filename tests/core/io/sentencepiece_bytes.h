// Builds SentencePiece models for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace contrastive::test {

class SentencePieceBytes {
 public:
  SentencePieceBytes& piece(const std::string& text, float score, int type) {
    std::string message;
    field(1, text, message);
    message += '\x15';  // field 2, four bytes
    uint32_t bits = 0;
    std::memcpy(&bits, &score, sizeof(bits));
    for (int shift = 0; shift < 32; shift += 8) message += static_cast<char>(bits >> shift & 0xFF);
    number(3, static_cast<uint64_t>(type), message);
    field(1, message, bytes_);
    return *this;
  }
  SentencePieceBytes& trainer(uint64_t model_type, bool byte_fallback, uint64_t unknown) {
    std::string message;
    number(3, model_type, message);
    number(35, byte_fallback ? 1 : 0, message);
    number(40, unknown, message);
    field(2, message, bytes_);
    return *this;
  }
  SentencePieceBytes& charsmap(const std::string& map) {
    std::string message;
    field(1, "nmt_nfkc", message);
    field(2, map, message);
    field(3, message, bytes_);
    return *this;
  }
  SentencePieceBytes& unknown_field() {
    field(200, "skipped", bytes_);
    number(201, uint64_t{1} << 60, bytes_);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  static void varint(uint64_t value, std::string& out) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  static void number(uint64_t field, uint64_t value, std::string& out) {
    varint(field << 3, out);
    varint(value, out);
  }
  static void field(uint64_t field, const std::string& value, std::string& out) {
    varint(field << 3 | 2, out);
    varint(value.size(), out);
    out += value;
  }

  std::string bytes_;
};

}  // namespace contrastive::test
