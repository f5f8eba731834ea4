#include "core/io/sentencepiece_model.h"

#include <random>

#include "tests/core/io/files.h"
#include "tests/core/io/sentencepiece_bytes.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::SentencePieceBytes;

SentencePieceBytes small() {
  SentencePieceBytes bytes;
  bytes.piece("<unk>", 0, 2)
      .piece("<s>", 0, 3)
      .piece("</s>", 0, 3)
      .piece("\u2581a", -1.5f, 1)
      .piece("<x>", 0, 4);
  return bytes;
}

TEST(SentencePieceModel, ReadsPiecesAndSettings) {
  const SentencePieceModel model =
      parse_sentencepiece_model(small().trainer(1, true, 0).charsmap("map").unknown_field().bytes(),
                                "m");
  ASSERT_EQ(model.pieces.size(), 5u);
  EXPECT_EQ(model.pieces[3].text, "\u2581a");
  EXPECT_EQ(model.pieces[3].score, -1.5f);
  EXPECT_EQ(model.pieces[3].type, SentencePieceModel::kNormal);
  EXPECT_EQ(model.pieces[4].type, SentencePieceModel::kUserDefined);
  EXPECT_EQ(model.model_type, 1);
  EXPECT_TRUE(model.byte_fallback);
  EXPECT_EQ(model.charsmap, "map");
}

TEST(SentencePieceModel, AFileCutShortIsRefused) {
  const std::string whole = small().trainer(1, false, 0).charsmap("map").bytes();
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    try {
      parse_sentencepiece_model(std::string_view(whole).substr(0, size),
                                "m");  // a file may end between two fields
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::kFormat);
      EXPECT_THAT(error.message(), testing::HasSubstr("m: "));
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() / 2);
}

TEST(SentencePieceModel, RefusesWhatIsNoModel) {
  const auto refused = [](const std::string& bytes, const std::string& message) {
    expect_error(Status::kFormat, message, [&] { parse_sentencepiece_model(bytes, "m"); });
  };
  refused("", "without a piece");
  refused("\x0A\x7F", "a field of 127 bytes, where 0 are left");
  refused(std::string("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 11), "more than 64 bits");
  refused("\x0A\x80", "ends inside of a number");
  refused("\x0B", "unknown wire type 3");
  refused(std::string("\x02\x00", 2), "a field of number 0");
  refused(std::string("\x08\x01", 2), "field 1 is of wire type 0, not 2");
  refused(SentencePieceBytes().piece("", 0, 1).bytes(), "piece 0 is empty");
  refused(SentencePieceBytes().piece("\xFF", 0, 1).bytes(), "piece 0 is not UTF-8");
  refused(SentencePieceBytes().piece("a", 0, 7).bytes(), "unknown type 7");
}

TEST(SentencePieceModel, DamagedFilesAreReadOrRefused) {
  const std::string whole = small().trainer(1, false, 0).charsmap("map").bytes();
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes = whole;
    for (size_t edits = 1 + random() % 4; edits > 0; --edits)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    try {
      parse_sentencepiece_model(bytes, "m");
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::kFormat);
    }
  }
}

}  // namespace
}  // namespace contrastive::io
