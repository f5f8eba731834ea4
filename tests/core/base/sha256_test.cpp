#include "core/base/sha256.h"

#include <gtest/gtest.h>

namespace contrastive {
namespace {

TEST(Sha256, TheVectorsOfFips180) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjkl"
                       "mnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, NeitherTheCutOfTheInputNorTheProcessorMatters) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  const std::string whole = sha256_hex(text);
  for (const bool portable : {false, true}) {
    for (const size_t step : {1, 3, 55, 63, 64, 65, 129, 999}) {
      Sha256 hash(portable);
      for (size_t begin = 0; begin < text.size(); begin += step)
        hash.update(std::string_view(text).substr(begin, step));
      EXPECT_EQ(hash.hex(), whole) << step << (portable ? " portable" : "");
    }
  }
}

}  // namespace
}  // namespace contrastive
