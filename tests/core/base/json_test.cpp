#include "core/base/json.h"

#include <chrono>

#include "core/base/rng.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

TEST(Json, ReadsOneDocumentAndNothingElse) {
  EXPECT_EQ(parse_json(R"({"b":1,"a":[true,null,"x"]})", "s").dump(),
            R"({"b":1,"a":[true,null,"x"]})");
  EXPECT_EQ(parse_json("\xef\xbb\xbf[1]", "s")[0], 1) << "a byte order mark";
  for (const char* bad : {"", "{", "{} x", "{'a':1}", "// c\n{}", "{\"a\":1,}", "nul",
                          "\"\\ud800\"", "\"\xff\"", "1e999", "[1 2]"}) {
    expect_error(Status::kFormat, "file.json: not valid JSON",
                 [&] { parse_json(bad, "file.json"); });
  }
  expect_error(Status::kFormat, "at byte 3: a NUL",
               [] { parse_json(std::string_view("{}\0 x", 5), "s"); });
  expect_error(Status::kFormat, "at byte 8", [] { parse_json("{\"a\": 1;}", "s"); });
}

TEST(Json, ADuplicateKeyIsNamed) {
  expect_error(Status::kFormat, "the key 'a' appears twice",
               [] { parse_json(R"({"x":{"a":1,"b":2,"a":3}})", "s"); });
  EXPECT_EQ(parse_json(R"({"x":{"a":1},"y":{"a":2}})", "s")["y"]["a"], 2)
      << "the same key in two objects";
  JsonLimits lenient;
  lenient.allow_duplicate_keys = true;
  EXPECT_NO_THROW(parse_json(R"({"a":1,"a":3})", "s", lenient));
}

TEST(Json, DepthAndSizeAreLimited) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_NO_THROW(parse_json(nested(64), "s"));
  expect_error(Status::kLimit, "nested deeper than 64", [&] { parse_json(nested(66), "s"); });
  expect_error(Status::kLimit, "nested deeper than 64",
               [&] { parse_json(nested(5'000'000), "s"); });
  JsonLimits small;
  small.max_bytes = 10;
  expect_error(Status::kLimit, "11 bytes of JSON, above the limit of 10",
               [&] { parse_json("[1,2,3,4,5]", "s", small); });
}

TEST(Json, AMillionKeysAreRefusedInsteadOfTakingHours) {
  std::string many = "{", few = "{";
  for (int i = 0; i < 1'000'000; ++i) many += "\"" + std::to_string(i) + "\":0,";
  for (int i = 0; i < 10'000; ++i) few += "\"" + std::to_string(i) + "\":0,";
  const auto start = std::chrono::steady_clock::now();
  expect_error(Status::kLimit, "too many keys", [&] { parse_json(many + "\"x\":0}", "s"); });
  EXPECT_EQ(parse_json(few + "\"x\":0}", "s").size(), 10'001u);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 30);
}

TEST(Json, DumpIsPlainAscii) {
  EXPECT_EQ(dump_ascii(Json("é\n\x7f")), "\"\\u00e9\\n\\u007f\"");
  EXPECT_EQ(dump_ascii(Json("a\xff"
                            "b")),
            "\"a\\ufffdb\"");
  EXPECT_EQ(dump_ascii(Json("\xf0\x9f\x98\x80")), "\"\\ud83d\\ude00\"");
}

TEST(JsonObject, GettersNameFileKeyAndRange) {
  const Json json = Json::parse(
      R"({"n":7,"x":0.5,"t":true,"s":"text","z":null,"big":9223372036854775808,"neg":-1,"half":7.5,"word":"768","list":[1]})");
  const JsonObject object(json, "config.json");
  EXPECT_EQ(object.integer("n", 0, 10), 7);
  EXPECT_EQ(object.integer("z", 0, 10, 3), 3);
  EXPECT_EQ(object.integer("absent", 0, 10, 4), 4);
  EXPECT_EQ(object.real("x", 0, 1), 0.5);
  EXPECT_EQ(object.real("n", 0, 10), 7.0);
  EXPECT_EQ(object.real("absent", 0, 1, 0.25), 0.25);
  EXPECT_TRUE(object.boolean("t", false));
  EXPECT_TRUE(object.boolean("absent", true));
  EXPECT_EQ(object.string("s"), "text");
  EXPECT_EQ(object.string("absent", "default"), "default");
  EXPECT_TRUE(object.has("n"));
  EXPECT_FALSE(object.has("z"));
  expect_error(Status::kFormat, "config.json: the key 'absent' is missing",
               [&] { object.at("absent"); });
  expect_error(Status::kFormat, "config.json: n must be a whole number from 8 to 10, not 7",
               [&] { object.integer("n", 8, 10); });
  for (const char* key : {"big", "neg", "half", "word", "list", "t"}) {
    expect_error(Status::kFormat,
                 std::string(key) + " must be a whole number from 0 to 9223372036854775807",
                 [&] { object.integer(key, 0, INT64_MAX); });
  }
  expect_error(Status::kFormat, "x must be a number from 1 to 2, not 0.5",
               [&] { object.real("x", 1, 2); });
  expect_error(Status::kFormat, "word must be a number", [&] { object.real("word", 0, 1000); });
  expect_error(Status::kFormat, "s must be true or false, not \"text\"",
               [&] { object.boolean("s", true); });
  expect_error(Status::kFormat, "n must be a string, not 7", [&] { object.string("n"); });
  expect_error(Status::kFormat, "a JSON object is needed, not [1]",
               [&] { JsonObject(json["list"], "config.json"); });
}

TEST(Json, MutatedTextIsReadOrRefusedNeverWorse) {
  const std::string good = R"({"a":{"b":[1,2.5e-3,"é\u00e9",null,true]},"c":"\\\"","d":-17})";
  Rng rng(1, Purpose::kSubset);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (uint64_t changes = 1 + rng.below(3); changes > 0; --changes)
      text[rng.below(text.size())] = static_cast<char>(rng.below(256));
    try {
      parse_json(text, "s");
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::kFormat);
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace contrastive
