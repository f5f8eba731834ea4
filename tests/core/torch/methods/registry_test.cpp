#include "core/torch/methods/registry.h"

#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "core/base/error.h"
#include "tests/expect_error.h"
#include "core/base/file.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

TEST(Registry, NamesAreUniqueAndDescribed) {
  std::set<std::string> names;
  for (const MethodEntry& entry : all_methods()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_STRNE(entry.summary, "");
    const MethodTraits traits = entry.describe({});
    EXPECT_FALSE(traits.rows.empty());
    for (const Json& row : traits.rows) {
      EXPECT_FALSE(row.at("help").get<std::string>().empty()) << row.at("key");
      EXPECT_NE(row.at("key").get<std::string>().find('.'), std::string::npos)
          << row.at("key") << " needs its method's prefix";
    }
    EXPECT_EQ(&find_method(entry.name), &entry);
  }
}

// core/torch/methods/README.md opens with a table of all methods: a row with a link to the README
// of each.
TEST(Registry, TheTableOfTheReadmeNamesEveryMethod) {
  const std::string folder = fixtures() + "/../../core/torch/methods/";
  const std::string text = read_file(folder + "README.md", 1 << 20);
  const std::regex row(R"(\n\| \[`(\w+)`\]\(([\w/]+\.md)\) \|)");
  std::vector<std::string> rows, names;
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it) {
    rows.push_back((*it)[1]);
    EXPECT_TRUE(path_exists(folder + (*it)[2].str())) << rows.back();
  }
  for (const MethodEntry& entry : all_methods()) names.emplace_back(entry.name);
  EXPECT_THAT(rows, ::testing::UnorderedElementsAreArray(names));
}

TEST(Registry, AnUnknownNameSaysTheNearest) {
  for (const char* name : {"clrs", "CLSR"}) {
    expect_error(Status::kArgument, "clsr", [&] { find_method(name); });
  }
}

}  // namespace
}  // namespace contrastive::methods
