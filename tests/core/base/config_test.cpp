#include "core/base/config.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

using testing::ElementsAre;

TEST(Config, NestedObjectsAndDottedKeysMeanTheSame) {
  const Config nested =
      Config::parse(R"({"clsr":{"temperature":0.1,"deep":{"x":[1,2]}},"method":"clsr"})");
  const Config dotted =
      Config::parse(R"({"clsr.temperature":0.1,"clsr.deep.x":[1,2],"method":"clsr"})");
  EXPECT_EQ(nested.to_json(), dotted.to_json());
  EXPECT_THAT(nested.keys(), ElementsAre("clsr.deep.x", "clsr.temperature", "method"));
  EXPECT_EQ(*nested.find("clsr.temperature"), 0.1);
  EXPECT_EQ(nested.find("clsr"), nullptr);
}

TEST(Config, TypedValuesAreJsonWhereTheyCanBe) {
  Config config;
  const std::pair<const char*, Json> typed[] = {
      {"7", 7},         {"0.5", 0.5},
      {"true", true},   {"[1,\"a\"]", Json::array({1, "a"})},
      {"\"7\"", "7"},   {"on", "on"},
      {"a,b", "a,b"},   {"", ""},
      {"null", "null"}, {"{\"a\":1}", "{\"a\":1}"},
      {"1e6", 1e6},     {"/tmp/x", "/tmp/x"}};
  for (const auto& [text, value] : typed) {
    config.set("key", text);
    EXPECT_EQ(*config.find("key"), value) << text;
  }
}

TEST(Config, AValueHasTheLimitsOfAConfig) {
  Config config;
  for (const int depth : {100, 100000}) {
    expect_error(Status::kLimit, "nested deeper than", [&] {
      config.set("x-a", std::string(static_cast<size_t>(depth), '[') +
                            std::string(static_cast<size_t>(depth), ']'));
    });
  }
  config.set("x-a", "[1, 2");  // not JSON: a text
  EXPECT_EQ(config.to_json()["x-a"], "[1, 2");
}

TEST(Config, MergeReplacesEraseRemoves) {
  Config a = Config::parse(R"({"x":1,"y":2})");
  a.merge(Config::parse(R"({"y":3,"z":4})"));
  EXPECT_EQ(a.to_json().dump(), R"({"x":1,"y":3,"z":4})");
  a.erase("x");
  EXPECT_FALSE(a.has("x"));
  EXPECT_TRUE(Config().empty());
  EXPECT_FALSE(a.empty());
}

TEST(Config, WhatIsNoConfigIsRefused) {
  expect_error(Status::kFormat, "config: a JSON object is needed", [] { Config::parse("[1]"); });
  for (const char* twice : {R"({"a":{"b":1},"a.b":2})", R"({"a.b":2,"a":{"b":1}})"}) {
    expect_error(Status::kFormat, "mine.json: config key 'a.b' appears twice",
                 [&] { Config::parse(twice, "mine.json"); });
  }
  expect_error(Status::kFormat, "mine.json: not valid JSON",
               [] { Config::parse("{", "mine.json"); });
  for (const char* key : {"", "a b", "ä", "a\nb", "a/b"}) {
    expect_error(Status::kArgument, "is not a config key", [&] { Config().set(key, "1"); });
  }
  expect_error(Status::kArgument, "is not a config key",
               [] { Config().set(std::string(201, 'a'), "1"); });
  expect_error(Status::kArgument, "wants a value, not an object",
               [] { Config().set_json("a", Json::object()); });
}

}  // namespace
}  // namespace contrastive
