#include "core/torch/methods/registry.h"

#include <gmock/gmock.h>

#include <set>

#include "core/base/error.h"
#include "tests/expect_error.h"

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

TEST(Registry, AnUnknownNameSaysTheNearest) {
  for (const char* name : {"clrs", "CLSR"}) {
    expect_error(Status::kArgument, "clsr", [&] { find_method(name); });
  }
}

}  // namespace
}  // namespace contrastive::methods
