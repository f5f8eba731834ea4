#include "core/torch/run/card_options.h"

#include <gmock/gmock.h>

#include "core/torch/run/train_options.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

CardOptions read(const std::string& json) {
  const auto options = read_options<CardOptions>(Config::parse(json), CardOptions::kPrefix);
  options.validate();
  return options;
}

TEST(CardOptions, TakesWhatHubsTake) {
  const CardOptions options = read(
      R"({"card.title": "Cats: \"the\" model\n", "card.description": "For cats.", "card.license": "cc-by-sa-4.0",
                                       "card.language": ["en", "deu", "pt-BR", "multilingual"], "card.datasets": ["owner/cats", "plain_2.0"],
                                       "card.base_model": "sentence-transformers/all-MiniLM-L6-v2"})");
  EXPECT_EQ(options.language.size(), 4u);
  EXPECT_EQ(options.datasets[1], "plain_2.0");
  EXPECT_NO_THROW(read("{}"));
  EXPECT_NO_THROW(read(
      R"({"card.language": ["zh-Hant-TW", "de-CH-1996", "sl-rozaj-biske", "en-x-shop", "es-419"]})"));
  EXPECT_NO_THROW(
      read(R"({"card.title": "", "card.description": ""})"));  // as if they were not set
}

TEST(CardOptions, RefusesWhatAHubWouldAndWhatTellsOfTheMachine) {
  for (const char* name :
       {"/data/model", "../model", "./model", "a/b/c", "owner/", "-x", "two words", "a\nb", ""}) {
    Config config;
    config.set_json("card.datasets", Json::array({name}));
    expect_error(Status::kArgument, "'card.datasets'", [&] { read(config.to_json().dump()); });
  }
  expect_error(Status::kArgument, "'card.base_model'",
               [] { read(R"({"card.base_model": "/data/minilm"})"); });
  for (const char* code :
       {"english", "EN", "e", "en:", "en-\n", "de_DE.UTF-8@euro", "xx-", "-en", "en--US", "en-US-",
        "de_DE", "en.US", "en-x", "en-verylongpart", "ENG", ""}) {
    Config config;
    config.set_json("card.language", Json::array({code}));
    expect_error(Status::kArgument, "'card.language'", [&] { read(config.to_json().dump()); });
  }
  expect_error(Status::kArgument, "'card.license'",
               [] { read(R"({"card.license": "mine, all mine"})"); });
  expect_error(Status::kArgument, "'card.license'",
               [] { read(R"({"card.license": "Apache-2.0"})"); });
  expect_error(Status::kArgument, "'card.title' is blank", [] { read(R"({"card.title": " "})"); });
  expect_error(Status::kArgument, "'card.description' is blank",
               [] { read(R"({"card.description": "\n \t"})"); });
  Config config;
  config.set_json("card.title", std::string(201, 'x'));
  expect_error(Status::kArgument, "'card.title' has 201 bytes",
               [&] { read(config.to_json().dump()); });
}

TEST(CardOptions, AreKeysOfEveryRunAndFoundWrongBeforeIt) {
  expect_error(Status::kArgument, "'card.license'",
               [] { check_config(toy_config(R"({"card.license": "?"})")); });
  expect_error(Status::kArgument, "did you mean 'card.title'",
               [] { check_config(toy_config(R"({"card.titel": "x"})")); });
}

}  // namespace
}  // namespace contrastive::run
