#include "core/data/gunzip.h"

#include "core/base/error.h"
#include "tests/expect_error.h"
#include "tests/core/data/packed.h"

namespace contrastive::data {
namespace {

// What a stream holds that arrives in pieces of `size` bytes.
std::string unpacked(const std::string& stream, size_t size) {
  Gunzip gunzip("input");
  std::string text;
  for (size_t at = 0; at < stream.size(); at += size) {
    gunzip.feed(std::string_view(stream).substr(at, size));
    for (std::string_view piece = gunzip.next(); !piece.empty(); piece = gunzip.next())
      text += piece;
  }
  gunzip.finish();
  return text;
}

TEST(Gunzip, PiecesOfAnySizeGiveTheSame) {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  const std::string padding(70, '\0');
  const std::string stream =
      packed("") + packed(text) + padding + packed("") + packed("end") + padding;
  for (const size_t size : {1, 7, 4096, 1 << 20})
    EXPECT_EQ(unpacked(stream, size), text + "end") << size;
}

TEST(Gunzip, ZerosUnpackToMoreThanOnePiece) {
  const std::string zeros(1 << 20, '\0');
  const std::string stream = packed(zeros);
  ASSERT_LT(stream.size(), 4096u);
  EXPECT_EQ(unpacked(stream, stream.size()), zeros);
}

TEST(Gunzip, NamesTheStreamAndTheByteOfADamage) {
  const std::string whole = packed("a text that is long enough to be cut");
  expect_error(Status::kCorrupt, "input: the gzip data end in the middle",
               [&] { unpacked(whole.substr(0, whole.size() - 1), 5); });
  expect_error(Status::kCorrupt, "input: damaged gzip data before byte",
               [&] { unpacked(whole + "no gzip", 5); });
}

TEST(Gunzip, KnowsItsMagic) {
  EXPECT_TRUE(is_gzip(packed("")));
  EXPECT_FALSE(is_gzip("\x1f"));
  EXPECT_FALSE(is_gzip("text"));
}

}  // namespace
}  // namespace contrastive::data
