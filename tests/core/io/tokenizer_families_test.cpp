// Real tokenizers of many families, which are not in the repository because of their licences,
// against the results of their own libraries.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "core/base/json.h"
#include "core/io/tokenizer_files.h"
#include "tests/real_parts.h"

namespace contrastive::io {
namespace {

// The byte at which each character of `text` begins, and its size.
std::vector<int64_t> character_starts(const std::string& text) {
  std::vector<int64_t> starts;
  for (size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80)
      starts.push_back(static_cast<int64_t>(at));
  }
  starts.push_back(static_cast<int64_t>(text.size()));
  return starts;
}

// Offsets of the file are in characters; those of special tokens are (0, 0).
void expect_places(const Json& expected, const text::Encoding& encoding, const std::string& text,
                   const std::string& where) {
  const std::vector<int64_t> starts = character_starts(text);
  ASSERT_EQ(expected.size(), encoding.ids.size()) << where;
  for (size_t i = 0; i < expected.size(); ++i) {
    const bool special = encoding.begins[i] < 0;
    EXPECT_EQ(special ? 0 : encoding.begins[i], starts[expected[i][0].get<size_t>()])
        << where << " token " << i;
    EXPECT_EQ(special ? 0 : encoding.ends[i], starts[expected[i][1].get<size_t>()])
        << where << " token " << i;
  }
}

void expect_line(const text::Tokenizer& tokenizer, const Json& line) {
  const std::string a = line["text"].get<std::string>(), where = line["text"].dump(-1, ' ', true);
  const bool is_pair = line.contains("pair");
  const text::Encoding encoding = is_pair
                                      ? tokenizer.encode_pair(a, line["pair"].get<std::string>(), 0)
                                      : tokenizer.encode(a, 0);
  EXPECT_EQ(encoding.ids, line["ids"].get<std::vector<int32_t>>()) << where;
  if (is_pair) {
    EXPECT_EQ(encoding.type_ids, line["type_ids"].get<std::vector<int32_t>>()) << where;
    return;
  }
  if (line.contains("offsets")) expect_places(line["offsets"], encoding, a, where);
  text::TokenBatch batch;
  tokenizer.append(a, 0, batch);
  EXPECT_EQ(batch.ids, encoding.ids) << where;
}

class TokenizerFamily : public testing::TestWithParam<const char*> {};

TEST_P(TokenizerFamily, EqualsItsOwnLibrary) {
  const std::string data = environment("CONTRASTIVE_DATA");
  if (data.empty())
    GTEST_SKIP() << "CONTRASTIVE_DATA is not set: set it to the folder of the unpacked data sets";
  const std::string folder = data + "/tokenizers/" + GetParam();
  if (!is_directory(folder)) GTEST_SKIP() << folder << " is not there";
  const auto tokenizer = load_tokenizer(folder);
  std::ifstream file(folder + "/golden.jsonl");
  int64_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines)
    expect_line(*tokenizer, parse_json(line, folder));
  EXPECT_GT(lines, 100);
}

INSTANTIATE_TEST_SUITE_P(Genuine, TokenizerFamily,
                         testing::Values("albert-base-v2", "all-mpnet-base-v2", "barthez", "gemma3",
                                         "qwen3", "slow-t5-trained", "slow-xlm-roberta",
                                         "t5-small"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace contrastive::io
