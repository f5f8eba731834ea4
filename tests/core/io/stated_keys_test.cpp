#include "core/io/stated_keys.h"

#include "core/base/file.h"
#include "core/io/hf_config.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

using test::write_text;

std::vector<std::string> notes_of(std::string_view file, const Json& object,
                                  const std::set<std::string>& read = {}) {
  std::vector<std::string> notes;
  check_stated_keys(file, object, "a.json", notes, read);
  return notes;
}

// "gemma3_text" -> its folder of tests/fixtures/families.
std::string fixture_of(const std::string& model_type) {
  if (model_type == "gemma3_text") return "gemma3";
  return model_type == "xlm-roberta" ? "xlm_roberta" : model_type;
}

TEST(StatedKeys, AKeyInNoListIsNoted) {
  EXPECT_TRUE(notes_of("modules.json", {{"type", "a"}, {"idx", 0}}).empty());
  EXPECT_TRUE(notes_of("generation_config.json", {{"anything", 1}}).empty());
  EXPECT_THAT(notes_of("modules.json", {{"typ", "a"}, {"idxs", 0}}),
              testing::ElementsAre(
                  testing::HasSubstr("does not know; they change nothing here: typ, idxs")));
  EXPECT_TRUE(notes_of("config.json", {{"of_a_family", 1}}, {"of_a_family"}).empty());
}

TEST(StatedKeys, ARefusedKeyIsNamedUnlessItChangesNothing) {
  const auto with = [](const Json& value) {
    return [value] { notes_of("config.json", {{"is_decoder", value}}); };
  };
  with(false)();
  with(nullptr)();
  expect_error(Status::kUnsupported, "a.json: is_decoder is true: only encoders are read",
               with(true));
}

// Every key in the sources of the Python libraries is in the table, or is read by the reader of its
// family.
TEST(StatedKeys, TheTableKnowsEveryKeyOfTheInventory) {
  const Json inventory = read_json_file(fixtures() + "/stated_keys.json");
  const std::string kConfig = "config.json ";
  for (const auto& [file, keys] : inventory.items()) {
    const bool of_family = file.rfind(kConfig, 0) == 0;
    Json config = Json::object();
    if (of_family) {
      config = read_json_file(fixtures() + "/families/" + fixture_of(file.substr(kConfig.size())) +
                              "/config.json");
      for (const Json& key : keys) config.emplace(key.get<std::string>(), nullptr);
      std::vector<std::string> notes;
      read_hf_config(config, file, notes);
      EXPECT_THAT(notes, testing::Not(testing::Contains(testing::HasSubstr("does not know"))));
    } else {
      for (const Json& key : keys)
        EXPECT_TRUE(is_stated_key(file, key.get<std::string>())) << file << ": " << key;
    }
  }
}

TEST(StatedKeys, NoPublishedModelStatesAnUnknownKey) {
  const Json published = read_json_file(fixtures() + "/published.json");
  for (const Json& model : published.at("models")) {
    const auto config = model.at("files").find("config.json");
    const std::string name = model.at("name");
    // The config of "both-spellings" has every size twice, of which one is not read.
    if (config == model.at("files").end() || name.find("both-spellings") != std::string::npos)
      continue;
    std::vector<std::string> notes;
    try {
      read_hf_config(*config, name, notes);
    } catch (const Error&) {
      continue;  // test_published_folders tests which are refused
    }
    EXPECT_THAT(notes, testing::Not(testing::Contains(testing::HasSubstr("does not know"))));
  }
}

TEST(StatedKeys, TheReadmeHoldsTheTable) {
  const std::string readme = read_file(fixtures() + "/../../core/io/README.md", 1 << 20),
                    table = stated_keys_table();
  if (readme.find(table) != std::string::npos) return;
  write_text(testing::TempDir() + "/stated_keys.md", table);
  FAIL() << "the table of keys in core/io/README.md is outdated; replace it by "
         << testing::TempDir() << "/stated_keys.md";
}

}  // namespace
}  // namespace contrastive::io
