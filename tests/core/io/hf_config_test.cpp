#include "core/io/hf_config.h"

#include "core/base/rng.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using encoder::Activation;
using test::write_text;

const char* const kGood =
    R"({"model_type":"bert","vocab_size":100,"hidden_size":32,"num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":64,
"max_position_embeddings":40,"type_vocab_size":2,"pad_token_id":0,"layer_norm_eps":1e-12,"hidden_dropout_prob":0.1,"attention_probs_dropout_prob":0.1,
"initializer_range":0.02,"hidden_act":"gelu","position_embedding_type":"absolute"})";

encoder::Architecture read(const Json& json) {
  std::vector<std::string> notes;
  return read_hf_config(json, "config.json", notes);
}

encoder::Architecture read_with(const std::string& key, const Json& value) {
  Json json = Json::parse(kGood);
  json[key] = value;
  return read(json);
}

TEST(HfConfig, ReadsEveryKey) {
  std::vector<std::string> notes;
  const encoder::Architecture options = read_hf_config(Json::parse(kGood), "config.json", notes);
  EXPECT_EQ(options.family, "bert");
  EXPECT_EQ(options.vocab_size, 100);
  EXPECT_EQ(options.hidden_size, 32);
  EXPECT_EQ(options.num_hidden_layers, 2);
  EXPECT_EQ(options.num_attention_heads, 4);
  EXPECT_EQ(options.intermediate_size, 64);
  EXPECT_EQ(options.max_tokens(), 40);
  EXPECT_EQ(options.layer_norm_eps, 1e-12);
  EXPECT_EQ(options.hidden_act, Activation::kGeluErf);
  EXPECT_TRUE(notes.empty()) << notes[0];
}

TEST(HfConfig, WhatIsNotStatedIsNoted) {
  Json json = Json::parse(kGood);
  json["model_type"] = "roberta";
  for (const char* key : {"pad_token_id", "layer_norm_eps", "hidden_act"}) json.erase(key);
  std::vector<std::string> notes;
  const encoder::Architecture options = read_hf_config(json, "config.json", notes);
  EXPECT_EQ(options.pad_token_id, 1);
  EXPECT_EQ(options.max_tokens(), 38);
  EXPECT_THAT(notes, testing::ElementsAre(
                         testing::HasSubstr("no pad_token_id, layer_norm_eps, hidden_act")));
}

TEST(HfConfig, TheFamilyOfA2019FileComesFromItsClass) {
  Json json = Json::parse(kGood);
  json.erase("model_type");
  expect_error(Status::kFormat, "model_type and architectures are missing", [&] { read(json); });
  json["architectures"] = {"RobertaModel"};
  EXPECT_EQ(read(json).family, "roberta");
  json["architectures"] = {"XLNetModel"};
  expect_error(Status::kUnsupported, "XLNetModel", [&] { read(json); });
}

TEST(HfConfig, ActivationsByEveryNameInUse) {
  for (const char* name : {"gelu", "gelu_python"})
    EXPECT_EQ(read_with("hidden_act", name).hidden_act, Activation::kGeluErf);
  for (const char* name : {"gelu_new", "gelu_fast", "gelu_pytorch_tanh"})
    EXPECT_EQ(read_with("hidden_act", name).hidden_act, Activation::kGeluTanh);
  for (const char* name : {"silu", "swish"})
    EXPECT_EQ(read_with("hidden_act", name).hidden_act, Activation::kSilu);
  EXPECT_EQ(read_with("hidden_act", "relu").hidden_act, Activation::kRelu);
}

TEST(HfConfig, ImpossibleNumbersNameTheKeyAndTheRange) {
  for (const char* key : {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
                          "intermediate_size", "max_position_embeddings"}) {
    SCOPED_TRACE(key);
    for (const Json& value : {Json(-1), Json(0), Json(1e308), Json(7.5), Json("768"),
                              Json(9223372036854775808u), Json(true), Json::array({3})}) {
      expect_error(Status::kFormat, std::string(key) + " must be a whole number from 1 to",
                   [&] { read_with(key, value); });
    }
    Json json = Json::parse(kGood);
    json.erase(key);
    expect_error(Status::kFormat, std::string("the key '") + key + "' is missing",
                 [&] { read(json); });
  }
  expect_error(Status::kFormat, "pad_token_id must be a whole number from 0 to 99",
               [] { read_with("pad_token_id", 100); });
  expect_error(Status::kFormat, "layer_norm_eps must be a number",
               [] { read_with("layer_norm_eps", -1e-5); });
  expect_error(Status::kFormat, "hidden_dropout_prob must be a number from 0 to 1",
               [] { read_with("hidden_dropout_prob", 1.5); });
}

TEST(HfConfig, AbsurdSizesAreALimit) {
  expect_error(Status::kLimit, "num_hidden_layers is 1000000000",
               [] { read_with("num_hidden_layers", 1000000000); });
  expect_error(Status::kLimit, "vocab_size is 1099511627776",
               [] { read_with("vocab_size", int64_t{1} << 40); });
  expect_error(Status::kLimit, "hidden_size is",
               [] { read_with("hidden_size", int64_t{1} << 62); });
}

TEST(HfConfig, HeadsMustDivideTheWidth) {
  expect_error(Status::kFormat, "num_attention_heads 5 does not divide hidden_size 32",
               [] { read_with("num_attention_heads", 5); });
}

TEST(HfConfig, AnotherArchitectureIsRefusedWithTheListOfKnownOnes) {
  expect_error(Status::kUnsupported,
               "unknown model_type 'roberto'; did you mean 'roberta'? Known: bert, roberta",
               [] { read_with("model_type", "roberto"); });
  expect_error(Status::kUnsupported, "known: bert, roberta",
               [] { read_with("model_type", "deberta-v2-xx"); });
  expect_error(Status::kUnsupported, "gelu_pytorch_tanh, gelu_fast, ",
               [] { read_with("hidden_act", "xielu"); });
  expect_error(Status::kUnsupported, "'relative_key' is not known; known: absolute",
               [] { read_with("position_embedding_type", "relative_key"); });
  expect_error(Status::kUnsupported, "is_decoder", [] { read_with("is_decoder", true); });
  expect_error(Status::kUnsupported, "add_cross_attention",
               [] { read_with("add_cross_attention", true); });
  expect_error(Status::kUnsupported, "quantization_config",
               [] { read_with("quantization_config", Json::object({{"bits", 4}})); });
  expect_error(Status::kUnsupported, "per_layer_config", [] {
    read_with("per_layer_config", Json::object({{"1", {{"intermediate_size", 8}}}}));
  });
  expect_error(Status::kUnsupported, "pruned_heads",
               [] { read_with("pruned_heads", Json::object({{"0", {1}}})); });
  expect_error(Status::kUnsupported, "embedding_size is 16; only 32 is read",
               [] { read_with("embedding_size", 16); });
}

TEST(HfConfig, TheTextOfTheFileIsCheckedBeforeItsKeys) {
  const TemporaryFolder folder;
  const std::string path = folder / "config.json";
  const auto parse = [&](const std::string& text) {
    write_text(path, text);
    return read(read_json_file(path));
  };
  EXPECT_EQ(parse("\xef\xbb\xbf" + std::string(kGood)).vocab_size, 100);  // a byte order mark
  expect_error(Status::kFormat, "config.json: not valid JSON at byte", [&] { parse("hello"); });
  expect_error(Status::kFormat, "not valid JSON at byte",
               [&] { parse(std::string(kGood) + " x"); });
  expect_error(Status::kFormat, "not valid JSON at byte",
               [&] { parse("// comment\n" + std::string(kGood)); });
  expect_error(Status::kFormat, "not valid JSON", [&] { parse(""); });
  expect_error(Status::kFormat, "a JSON object is needed", [&] { parse("[]"); });
  expect_error(Status::kFormat, "'a' appears twice", [&] { parse(R"({"a":1,"a":2})"); });
  expect_error(Status::kLimit, "deeper than 64",
               [&] { parse("{\"a\":" + std::string(100000, '[')); });
  std::filesystem::resize_file(path, int64_t{2} << 30);  // sparse: it must not be read at all
  expect_error(Status::kLimit, "above the limit of 67108864", [&] { read_json_file(path); });
}

TEST(HfConfig, WritesBackWhatItReadAndKeepsForeignKeys) {
  Json as_read = Json::parse(kGood);
  as_read["architectures"] = {"BertForMaskedLM"};
  as_read["hidden_act"] = "gelu_fast";
  as_read["torch_dtype"] = "float16";
  as_read["x_foreign"] = {1, 2};
  encoder::Architecture options = read(as_read);
  options.hidden_dropout_prob = 0.25;
  const Json written = write_hf_config(options, as_read);
  EXPECT_EQ(written["hidden_act"], "gelu_fast");
  EXPECT_EQ(written["hidden_dropout_prob"], 0.25);
  EXPECT_EQ(written["torch_dtype"], "float32");
  EXPECT_EQ(written["architectures"], Json::array({"BertModel"}));
  EXPECT_EQ(written["x_foreign"], Json::array({1, 2}));
  for (const Activation act :
       {Activation::kGeluErf, Activation::kGeluTanh, Activation::kRelu, Activation::kSilu}) {
    for (const std::string family : {"bert", "roberta"}) {
      options.hidden_act = act;
      options.family = family;
      const encoder::Architecture back = read(write_hf_config(options, Json()));
      EXPECT_EQ(back.hidden_act, act);
      EXPECT_EQ(back.family, family);
      EXPECT_EQ(back.layer_norm_eps, options.layer_norm_eps);
    }
  }
}

TEST(HfConfig, MutatedFilesAreReadOrRefusedNeverWorse) {
  Rng rng(2, Purpose::kSubset);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = kGood;
    for (uint64_t changes = 1 + rng.below(4); changes > 0 && !text.empty(); --changes) {
      const size_t place = rng.below(text.size());
      switch (rng.below(3)) {
        case 0: text[place] = static_cast<char>(rng.below(256)); break;
        case 1: text.erase(place, 1 + rng.below(6)); break;
        default: text.insert(place, 1, "0123456789-{}[]\",:e."[rng.below(20)]); break;
      }
    }
    try {
      std::vector<std::string> notes;
      const encoder::Architecture options =
          read_hf_config(parse_json(text, "mutated"), "mutated", notes);
      EXPECT_GE(options.max_tokens(), 1);
      EXPECT_EQ(options.hidden_size % options.num_attention_heads, 0);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1500);
}

// GTE's two names have different defaults. A config with neither name has the defaults of its
// class.
TEST(HfConfig, AConfigWithoutModelTypeIsWrittenAsItsClass) {
  for (const char* name : {"GteModel", "NewModel"}) {
    const Json config = {{"architectures", {name}}, {"type_vocab_size", 0}};
    const encoder::Architecture options = read(config);
    const Json written = write_hf_config(options, config);
    EXPECT_EQ(written["architectures"][0], name);
    EXPECT_TRUE(read(written) == options) << name;
  }
}

}  // namespace
}  // namespace contrastive::io
