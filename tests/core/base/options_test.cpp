#include "core/base/options.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

using testing::ElementsAre;

enum class Reduction { kMean, kSum };

struct Inner {
  double temperature = 0.1;
  Reduction reduction = Reduction::kMean;
  void visit(OptionVisitor& v) {
    v.real("temperature", temperature, above(0),
           OptionDoc("divides every cosine").source("section 4.1"));
    v.choice("reduction", reduction, {{"mean", Reduction::kMean}, {"sum", Reduction::kSum}},
             "over the rows");
  }
};

struct Outer {
  int64_t batch_size = 32;
  bool shuffle = true;
  std::string name = "run";
  std::vector<std::string> layers = {"a"};
  std::vector<double> rates = {0.5};
  std::vector<int64_t> sizes = {16};
  Inner loss;
  void visit(OptionVisitor& v) {
    v.integer("batch_size", batch_size, between(2, 1000),
              OptionDoc("pairs of a step").unit("pairs"));
    v.flag("shuffle", shuffle, "new order every epoch");
    v.text("name", name, "of the run");
    v.list("layers", layers, "which");
    v.numbers("rates", rates, above(0, 10), "of a grid");
    v.integers("sizes", sizes, between(1, 5000), "of a grid");
    v.nested("loss.", loss);
  }
};

Outer read(const char* json) { return read_options<Outer>(Config::parse(json)); }

TEST(Options, WhatIsNotGivenKeepsItsDefault) {
  const Outer options = read(R"({"loss.temperature":0.5})");
  EXPECT_EQ(options.batch_size, 32);
  EXPECT_EQ(options.loss.temperature, 0.5);
  EXPECT_EQ(options.loss.reduction, Reduction::kMean);
}

TEST(Options, EveryKindOfValue) {
  const Outer options = read(
      R"({"batch_size":1e2,"shuffle":"off","name":2024,"layers":"x,y","loss":{"reduction":"sum","temperature":2}})");
  EXPECT_EQ(options.batch_size, 100);
  EXPECT_FALSE(options.shuffle);
  EXPECT_EQ(options.name, "2024");
  EXPECT_THAT(options.layers, ElementsAre("x", "y"));
  EXPECT_EQ(options.loss.reduction, Reduction::kSum);
  EXPECT_EQ(options.loss.temperature, 2.0);
  EXPECT_THAT(read(R"({"layers":["p",3]})").layers, ElementsAre("p", "3"));
  for (const char* yes : {"true", "\"on\"", "\"yes\"", "1"})
    EXPECT_TRUE(read((std::string(R"({"shuffle":)") + yes + "}").c_str()).shuffle) << yes;
}

TEST(Options, ListsOfNumbersAreNumbersOrTextsOfThem) {
  EXPECT_THAT(read("{}").rates, ElementsAre(0.5));
  EXPECT_THAT(read(R"({"rates":["1e-5",0.25,3]})").rates, ElementsAre(1e-5, 0.25, 3));
  EXPECT_THAT(read(R"({"rates":"1e-5,2"})").rates, ElementsAre(1e-5, 2));
  EXPECT_THAT(read(R"({"rates":7})").rates, ElementsAre(7));
  EXPECT_THAT(read(R"({"sizes":["16",32,1e3]})").sizes, ElementsAre(16, 32, 1000));
  for (const char* bad : {"\"\"", "\"x\"", "\"1e-5x\"", "\" 1\"", "0", "-1", "11", "\"nan\"",
                          "\"inf\"", "null", "true"}) {
    expect_error(Status::kArgument, "config key 'rates' takes numbers above 0 to 10, not '",
                 [&] { read((std::string(R"({"rates":[1,)") + bad + "]}").c_str()); });
  }
  for (const char* bad : {"1.5", "\"1.5\"", "0", "1e300", "9223372036854775808"}) {
    expect_error(Status::kArgument, "config key 'sizes' takes whole numbers from 1 to 5000, not '",
                 [&] { read((std::string(R"({"sizes":[1,)") + bad + "]}").c_str()); });
  }
  for (const char* empty : {"[]", "\"\""}) {
    expect_error(Status::kArgument, "config key 'sizes' is empty",
                 [&] { read((std::string(R"({"sizes":)") + empty + "}").c_str()); });
  }
}

TEST(Options, AValueOutOfRangeNamesKeyRangeAndValue) {
  expect_error(Status::kArgument,
               "config key 'batch_size' must be a whole number from 2 to 1000, not 1",
               [] { read(R"({"batch_size":1})"); });
  for (const char* bad :
       {"0", "-1", "2147483648", "7.5", "\"32\"", "true", "[32]", "1e300", "9223372036854775808"}) {
    expect_error(Status::kArgument, "'batch_size' must be a whole number from 2 to 1000",
                 [&] { read((std::string(R"({"batch_size":)") + bad + "}").c_str()); });
  }
  for (const char* bad : {"0", "-0.1", "1e30", "\"x\"", "null", "false"}) {
    expect_error(Status::kArgument, "'loss.temperature' must be a number above 0",
                 [&] { read((std::string(R"({"loss.temperature":)") + bad + "}").c_str()); });
  }
  expect_error(Status::kArgument, "'loss.reduction': unknown value 'men'; did you mean 'mean'?",
               [] { read(R"({"loss.reduction":"men"})"); });
  expect_error(Status::kArgument, "'shuffle' must be true or false",
               [] { read(R"({"shuffle":"perhaps"})"); });
  for (const char* bad : {R"({"name":["a"]})", R"({"name":null})"}) {
    expect_error(Status::kArgument, "'name' must be a string, not", [&] { read(bad); });
  }
  for (const char* bad :
       {R"({"layers":["a",null]})", R"({"layers":null})", R"({"layers":[["a"]]})"}) {
    expect_error(Status::kArgument, "'layers' must be a string, not", [&] { read(bad); });
  }
  expect_error(Status::kArgument, "'name' holds a NUL character, at 1",
               [] { read(R"({"name":"a\u0000b"})"); });
  expect_error(Status::kArgument, "'layers' holds a NUL character, at 1",
               [] { read(R"({"layers":["a","b\u0000"]})"); });
}

TEST(Options, NotANumberIsInNoRange) {
  Config config;
  config.set_json("loss.temperature", std::nan(""));
  expect_error(Status::kArgument, "'loss.temperature' must be a number",
               [&] { read_options<Outer>(config); });
  EXPECT_FALSE(Range().contains(std::nan("")));
}

struct Wide {
  int64_t seed = 0;
  double rate = 1;
  std::vector<int64_t> seeds = {0};
  void visit(OptionVisitor& v) {
    v.integer("seed", seed, at_least(0), "decides");
    v.real("rate", rate, above(0), "of a step");
    v.integers("seeds", seeds, at_least(0), "a run for each");
  }
};

// "at least 0, not 18446744073709551615" would claim that the number is allowed.
TEST(Options, AValueAboveAHighBoundNamesTheBound) {
  const auto read_wide = [](const char* json) { return read_options<Wide>(Config::parse(json)); };
  EXPECT_EQ(read_wide(R"({"seed":9007199254740992})").seed, 9007199254740992);
  for (const char* bad :
       {"9007199254740994", "18446744073709551615", "18446744073709551616", "1e300"}) {
    expect_error(Status::kArgument,
                 "'seed' must be a whole number from 0 to 9007199254740992, not ",
                 [&] { read_wide((std::string(R"({"seed":)") + bad + "}").c_str()); });
    expect_error(Status::kArgument, "'seeds' takes whole numbers from 0 to 9007199254740992, not '",
                 [&] { read_wide((std::string(R"({"seeds":[1,)") + bad + "]}").c_str()); });
  }
  expect_error(Status::kArgument, "'seed' must be a whole number at least 0, not -1",
               [&] { read_wide(R"({"seed":-1})"); });
  expect_error(Status::kArgument, "'seeds' takes whole numbers at least 0, not '-1'",
               [&] { read_wide(R"({"seeds":[-1]})"); });
  expect_error(Status::kArgument, "'rate' must be a number above 0 to 1000000000, not ",
               [&] { read_wide(R"({"rate":1e10})"); });
  EXPECT_EQ(describe_options<Wide>()[0]["range"], "at least 0");
}

TEST(Options, RangesReadAsAPersonWouldSayThem) {
  EXPECT_EQ(between(1, 1048576).text(), "from 1 to 1048576");
  EXPECT_EQ(between(0, 1).text(), "from 0 to 1");
  EXPECT_EQ(above(0).text(), "above 0");
  EXPECT_EQ(at_least(1).text(), "at least 1");
  EXPECT_EQ(at_least(1).text(1e300), "from 1 to 9007199254740992");
  EXPECT_EQ(at_least(1).text(0), "at least 1");
  EXPECT_EQ(Range().text(), "any finite number");
  EXPECT_TRUE(between(0, 1).contains(1));
  EXPECT_FALSE(above(0).contains(0));
}

TEST(Options, DescribeDumpAndReadAgree) {
  const Json rows = describe_options<Outer>();
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0]["key"], "batch_size");
  EXPECT_EQ(rows[0]["type"], "integer");
  EXPECT_EQ(rows[0]["default"], 32);
  EXPECT_EQ(rows[0]["range"], "from 2 to 1000");
  EXPECT_EQ(rows[0]["unit"], "pairs");
  EXPECT_EQ(rows[5]["range"], "from 1 to 5000");
  EXPECT_EQ(rows[6]["key"], "loss.temperature");
  EXPECT_EQ(rows[6]["source"], "section 4.1");
  EXPECT_EQ(rows[7]["values"], Json::array({"mean", "sum"}));
  Outer options;
  options.batch_size = 77;
  options.loss.reduction = Reduction::kSum;
  options.layers = {};
  options.rates = {1e-7, 2};
  const Config dumped = dump_options(options, "x.");
  EXPECT_EQ(dumped.to_json()["x.loss.reduction"], "sum");
  const Outer back = read_options<Outer>(dumped, "x.");
  EXPECT_EQ(back.batch_size, 77);
  EXPECT_EQ(back.loss.reduction, Reduction::kSum);
  EXPECT_TRUE(back.layers.empty());
  EXPECT_EQ(back.rates, options.rates);
}

struct Resumed {
  int64_t steps = 10, seed = 1;
  void visit(OptionVisitor& v) {
    v.integer("steps", steps, at_least(0), OptionDoc("updates").may_change());
    v.integer("seed", seed, at_least(0), "decides every random choice");
  }
};

TEST(Options, ARowSaysWhetherItsKeyMayChangeOnResume) {
  const Json rows = describe_options<Resumed>();
  EXPECT_TRUE(may_change_on_resume(rows[0]));
  EXPECT_EQ(rows[0]["may_change"], true);
  EXPECT_FALSE(may_change_on_resume(rows[1]));
  EXPECT_FALSE(rows[1].contains("may_change"));
  EXPECT_TRUE(may_change_on_resume(changeable_on_resume(rows[1])));
}

TEST(Options, AnUnknownKeyIsATypingErrorUnlessItIsTheCallers) {
  const Json rows = describe_options<Outer>();
  EXPECT_NO_THROW(reject_unknown_keys(Config::parse(R"({"batch_size":4,"x-mine":{"a":1}})"), rows));
  expect_error(Status::kArgument, "unknown config key 'batchsize'; did you mean 'batch_size'?",
               [&] { reject_unknown_keys(Config::parse(R"({"batchsize":4})"), rows); });
  expect_error(Status::kArgument, "did you mean 'loss.temperature'?",
               [&] { reject_unknown_keys(Config::parse(R"({"temperature":4})"), rows); });
}

}  // namespace
}  // namespace contrastive
