// Ids, offsets and lengths of the project's own texts against Hugging Face `tokenizers`
// (golden.json and pipelines.json of tests/golden/tokenizers), and against transformers for folders
// with settings (settings.py there).
#include "core/base/json.h"
#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

const std::string kGolden = fixtures() + "/../golden/tokenizers/";
const std::string kVocabularies = fixtures() + "/tokenizers/";

// {"token": line, ...}
std::string vocab_txt_as_json(const std::string& text) {
  std::string json = "{";
  int64_t id = 0;
  for (size_t begin = 0; begin < text.size(); ++id) {
    const size_t end = text.find('\n', begin);
    json += (id > 0 ? "," : "") + dump_ascii(Json(text.substr(begin, end - begin))) + ":" +
            std::to_string(id);
    begin = end + 1;
  }
  return json + "}";
}

std::string merges_as_json(const std::string& text) {
  std::string json = "[";
  for (size_t begin = text.find('\n') + 1; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    json += (json.size() > 1 ? "," : "") + dump_ascii(Json(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return json + "]";
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t place = text.find(from);
  ASSERT_NE(place, std::string::npos) << from;
  text.replace(place, from.size(), to);
}

// The folder from which a block of the golden file was made, with the vocabularies of the fixtures.
void write_folder(const TemporaryFolder& folder, const Json& block) {
  test::write_text(folder / "tokenizer_config.json", block["tokenizer_config"].dump());
  const bool byte_level = block["name"].get<std::string>().find("merges") != std::string::npos;
  if (!block["tokenizer_json"].is_null()) {
    std::string document = block["tokenizer_json"].dump();
    if (!block["tokenizer_json"]["model"]["vocab"].empty()) {
      // The block has its own vocabulary.
    } else if (block["tokenizer_json"]["model"].contains("merges")) {
      replace(document, "\"vocab\":{}",
              "\"vocab\":" + test::read_text(kVocabularies + "byte_bpe.vocab.json"));
      replace(document, "\"merges\":[]",
              "\"merges\":" +
                  merges_as_json(test::read_text(kVocabularies + "byte_bpe.merges.txt")));
    } else {
      replace(document, "\"vocab\":{}",
              "\"vocab\":" +
                  vocab_txt_as_json(test::read_text(kVocabularies + "wordpiece.vocab.txt")));
    }
    test::write_text(folder / "tokenizer.json", document);
  } else if (byte_level) {
    std::filesystem::copy(kVocabularies + "byte_bpe.vocab.json", folder / "vocab.json");
    std::filesystem::copy(kVocabularies + "byte_bpe.merges.txt", folder / "merges.txt");
  } else {
    std::filesystem::copy(kVocabularies + "wordpiece.vocab.txt", folder / "vocab.txt");
  }
}

// A string, or {"bytes": "C328"} for bytes that are not UTF-8.
std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const std::string hex = value["bytes"].get<std::string>();
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// `types`: whether an encoder gets the types of the template.
void expect_row(const text::Tokenizer& tokenizer, const Json& row, bool types = true) {
  const auto max_length = row[0].get<int64_t>();
  const std::string a = text_of(row[1]), b = row[2].is_null() ? "" : text_of(row[2]);
  const text::Encoding encoding =
      row[2].is_null() ? tokenizer.encode(a, max_length) : tokenizer.encode_pair(a, b, max_length);
  const std::string where = row[1].dump(-1, ' ', true) + " " + row[2].dump(-1, ' ', true);
  EXPECT_EQ(encoding.ids, row[3].get<std::vector<int32_t>>()) << where;
  EXPECT_EQ(encoding.begins, row[4].get<std::vector<int64_t>>()) << where;
  EXPECT_EQ(encoding.ends, row[5].get<std::vector<int64_t>>()) << where;
  EXPECT_EQ(std::count(encoding.type_ids.begin(), encoding.type_ids.end(), 1),
            row[6].get<int64_t>())
      << where;
  EXPECT_EQ(encoding.full_length, row[7].get<int64_t>()) << where;
  text::TokenBatch batch;
  row[2].is_null() ? tokenizer.append(a, max_length, batch)
                   : tokenizer.append_pair(a, b, max_length, batch);
  EXPECT_EQ(batch.ids, encoding.ids) << where;
  EXPECT_EQ(batch.type_ids,
            types ? encoding.type_ids : std::vector<int32_t>(encoding.ids.size(), 0))
      << where;
}

TEST(TokenizerGolden, EqualsHuggingFace) {
  const Json golden = read_json_file(kGolden + "golden.json");
  size_t rows = 0;
  for (const Json& block : golden["blocks"]) {
    SCOPED_TRACE(block["name"].get<std::string>());
    const TemporaryFolder folder;
    write_folder(folder, block);
    const auto tokenizer = load_tokenizer(folder.path());
    for (const Json& row : block["rows"]) expect_row(*tokenizer, row);
    rows += block["rows"].size();
  }
  EXPECT_GT(rows, 400u);
}

TEST(TokenizerGolden, SettingsOfAFolderEqualTransformers) {
  const Json golden = read_json_file(kVocabularies + "settings.json");
  for (Json block : golden["blocks"]) {
    SCOPED_TRACE(block["name"].get<std::string>());
    const TemporaryFolder folder;
    if (block.contains("base")) {
      block["tokenizer_json"] = golden["bases"][block["base"].get<std::string>()];
      block["tokenizer_json"].update(block["changes"]);
    }
    write_folder(folder, block);
    for (const auto& [name, content] : block["files"].items())
      test::write_text(folder / name, content.dump());
    const auto tokenizer = load_tokenizer(folder.path());
    for (const Json& row : block["rows"]) expect_row(*tokenizer, row, block["types"].get<bool>());
  }
  EXPECT_GT(golden["blocks"].size(), 150u);
}

TEST(TokenizerGolden, PipelinesDrawnAtRandomEqualHuggingFace) {
  const Json golden = read_json_file(kGolden + "pipelines.json");
  size_t rows = 0;
  for (const Json& block : golden["blocks"]) {
    SCOPED_TRACE(block["name"].get<std::string>());
    const TemporaryFolder folder;
    test::write_text(folder / "tokenizer.json", block["tokenizer_json"].dump());
    const auto tokenizer = load_tokenizer(folder.path());
    for (const Json& row : block["rows"]) expect_row(*tokenizer, row);
    rows += block["rows"].size();
  }
  EXPECT_GT(rows, 200u);
}

}  // namespace
}  // namespace contrastive::io
