// Sentence encoders read from the fixtures' folders, against the values that Hugging Face and
// sentence-transformers compute for them.
#include "core/model/sentence_encoder.h"

#include <ATen/ops/from_blob.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/runtime/threads.h"
#include "tests/core/base/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

const std::string kModels = fixtures() + "/models/";
const std::vector<std::string> kFolders{"bert_st",   "bert_st_old", "bert_gamma",     "bert_f16",
                                        "bert_bf16", "roberta_hf",  "roberta_sharded"};

LoadOptions with_pooling(const std::string& pooling) {
  LoadOptions options;
  options.pooling = pooling;
  return options;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

std::vector<float> encode(const SentenceEncoder& encoder, const std::vector<std::string>& texts,
                          const EncodeOptions& options = {}) {
  std::vector<float> out(texts.size() * static_cast<size_t>(encoder.dimension(options)),
                         std::numeric_limits<float>::quiet_NaN());
  encoder.encode(views(texts), options, out.data());
  return out;
}

void expect_rows(const std::vector<float>& got, const Json& expected, double tolerance,
                 const std::string& what) {
  size_t i = 0;
  for (const Json& row : expected) {
    for (const Json& value : row) {
      ASSERT_LT(i, got.size()) << what;
      ASSERT_NEAR(got[i], value.get<double>(), tolerance) << what << ", number " << i;
      ++i;
    }
  }
  EXPECT_EQ(i, got.size()) << what;
}

template <class F>
Status status_of(F&& call, std::string* message = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.message();
    return error.status();
  }
  return Status::kOk;
}

// As in sentence-transformers with longer texts in the batch, where padding is masked: the mean of
// no tokens is 0.
TEST(SentenceEncoder, ATextWithoutATokenHasZerosAndDisturbsNoOther) {
  const TemporaryFolder folder;
  std::filesystem::copy(kModels + "bert_st", folder / "model",
                        std::filesystem::copy_options::recursive);
  const auto edit = [&](const std::string& name, const char* key, const Json& value) {
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    Json document = parse_json(read_file(folder / name, 1 << 20), name);
    document[key] = value;
    folder.write(name, document.dump());
  };
  edit("model/tokenizer.json", "post_processor", nullptr);
  edit("model/tokenizer_config.json", "tokenizer_class",
       "PreTrainedTokenizerFast");  // which has no special tokens
  const auto encoder = SentenceEncoder::load(folder / "model");
  const std::vector<std::string> texts{"", "a cat", "", "two birds fly over the old house"};
  const std::vector<float> all = encode(*encoder, texts);
  const auto row = [&](size_t i) {
    return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(32 * i),
                              all.begin() + static_cast<std::ptrdiff_t>(32 * i + 32));
  };
  const std::vector<float> zeros(32);
  EXPECT_EQ(row(0), zeros);
  EXPECT_EQ(row(2), zeros);
  EXPECT_EQ(encode(*encoder, {""}), zeros);
  const std::vector<float> filled = encode(*encoder, {"a cat", "two birds fly over the old house"});
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_NEAR(row(1)[i], filled[i], 1e-6);
    EXPECT_NEAR(row(3)[i], filled[32 + i], 1e-6);
  }
}

TEST(SentenceEncoder, AMappedModelIsWhatItWasWhileItsFolderIsReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  SentenceEncoder::load(kModels + "bert_st")->save(path);
  LoadOptions mapped;
  mapped.memory_map = true;
  const auto encoder = SentenceEncoder::load(path, mapped);
  const std::vector<std::string> texts{"two birds fly over the old house", "a cat"};
  const std::vector<float> before = encode(*encoder, texts);
  SentenceEncoder::load(kModels + "roberta_hf", with_pooling("mean"))
      ->save(path);  // as every save does: a new folder replaces the old one
  EXPECT_EQ(encode(*encoder, texts), before);
  EXPECT_NE(encode(*SentenceEncoder::load(path, mapped), texts), before);
}

TEST(SentenceEncoder, EveryPoolingOfEveryFixtureIsHuggingFaces) {
  for (const std::string& folder : kFolders) {
    const Json golden = read_json_file(kModels + folder + ".golden.json");
    const auto texts = golden["texts"].get<std::vector<std::string>>();
    for (const auto& [pooling, expected] : golden["embeddings"].items()) {
      io::ModelFolder model = io::read_model_folder(kModels + folder);
      model.dense.clear();
      model.normalize = false;
      model.default_prompt_name.clear();
      model.poolings = {pooling};
      expect_rows(encode(SentenceEncoder(std::move(model)), texts), expected, 1e-5,
                  folder + " " + pooling);
    }
  }
}

TEST(SentenceEncoder, SentenceTransformersFoldersGiveItsEmbeddings) {
  for (const char* folder : {"bert_st", "bert_st_old"}) {
    const Json golden = read_json_file(kModels + folder + ".golden.json");
    const auto texts = golden["texts"].get<std::vector<std::string>>();
    io::ModelFolder plain = io::read_model_folder(kModels + folder);
    plain.default_prompt_name.clear();
    expect_rows(encode(SentenceEncoder(std::move(plain)), texts), golden["sentence_transformers"],
                1e-5, folder);
    if (!golden.contains("sentence_transformers_default_prompt")) continue;
    expect_rows(encode(*SentenceEncoder::load(kModels + folder), texts),
                golden["sentence_transformers_default_prompt"], 1e-5, folder);
  }
}

TEST(SentenceEncoder, PairsAreHuggingFaces) {
  for (const std::string& folder : kFolders) {
    const Json golden = read_json_file(kModels + folder + ".golden.json");
    io::ModelFolder model = io::read_model_folder(kModels + folder);
    model.dense.clear();
    model.normalize = false;
    model.poolings = {"mean"};
    const SentenceEncoder encoder(std::move(model));
    text::TokenBatch batch;
    for (const Json& pair : golden["pairs"])
      encoder.tokenizer().append_pair(pair["a"].get<std::string>(), pair["b"].get<std::string>(), 0,
                                      batch);
    const std::vector<float> out = encoder.embed(batch);
    const int64_t width = encoder.dimension();
    for (int64_t i = 0; i < batch.texts(); ++i) {
      for (int64_t d = 0; d < width; ++d) {
        ASSERT_NEAR(
            out[static_cast<size_t>(i * width + d)],
            golden["pairs"][static_cast<size_t>(i)]["mean"][static_cast<size_t>(d)].get<double>(),
            1e-5)
            << folder;
      }
    }
  }
}

TEST(SentenceEncoder, OrderBatchesAndThreadsDoNotChangeAnEmbedding) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (int word = 0; word <= i % 23; ++word)
      text += word % 2 == 0 ? "the cat " : "sat on a mat. ";
    texts.push_back(i % 50 == 0 ? "" : text + std::to_string(i));
  }
  const int before = runtime::threads();
  const size_t width = static_cast<size_t>(encoder->dimension());
  runtime::set_threads(1);
  const std::vector<float> all = encode(*encoder, texts);
  runtime::set_threads(4);
  EXPECT_EQ(encode(*encoder, texts), all);
  EncodeOptions small;
  small.batch_tokens = 40;
  const std::vector<float> in_small_batches = encode(*encoder, texts, small);
  for (size_t i = 0; i < all.size(); ++i) ASSERT_NEAR(in_small_batches[i], all[i], 1e-6);
  for (size_t i = 0; i < texts.size(); i += 7) {
    const std::vector<float> alone = encode(*encoder, {texts[i]});
    for (size_t d = 0; d < width; ++d)
      ASSERT_NEAR(alone[d], all[i * width + d], 1e-6) << "text " << i;
  }
  runtime::set_threads(before);
}

TEST(SentenceEncoder, ManyThreadsEncodeOnOneModel) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  const std::vector<std::string> texts{"the cat sat", "a dog", "",
                                       "on the mat the cat sat and sat"};
  const std::vector<float> expected = encode(*encoder, texts);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 30; ++round) wrong[t] += encode(*encoder, texts) != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(SentenceEncoder, OptionsChooseNormalizationDimensionAndPrompt) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st", with_pooling("mean"));
  EncodeOptions raw, unit, cut;
  raw.normalize = 0;
  unit.normalize = 1;
  cut.normalize = 1;
  cut.truncate_dim = 5;
  const std::vector<std::string> texts{"the cat sat on the mat."};
  const std::vector<float> plain = encode(*encoder, texts, raw),
                           scaled = encode(*encoder, texts, unit),
                           shortened = encode(*encoder, texts, cut);
  double length = 0, cut_length = 0;
  for (const float x : plain) length += static_cast<double>(x) * static_cast<double>(x);
  for (size_t i = 0; i < 5; ++i) cut_length += std::pow(static_cast<double>(plain[i]), 2);
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_NEAR(scaled[i], static_cast<double>(plain[i]) / std::sqrt(length), 1e-6);
  ASSERT_EQ(shortened.size(), 5U);
  for (size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(shortened[i], static_cast<double>(plain[i]) / std::sqrt(cut_length), 1e-6);
  EncodeOptions prompted = raw;
  prompted.prompt = "the cat ";
  EXPECT_EQ(encode(*encoder, {"sat on the mat."}, prompted), plain);
}

TEST(SentenceEncoder, AnEmptyPromptSwitchesTheDefaultOneOff) {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  folder.prompts = {{"query", "the cat "}};
  folder.default_prompt_name = "query";
  const SentenceEncoder prompting(folder);
  EncodeOptions none, explicitly;
  none.prompt = "";
  explicitly.prompt = "the cat ";
  const std::vector<std::string> texts{"sat on the mat."};
  EXPECT_EQ(encode(prompting, texts, {}), encode(prompting, texts, explicitly));
  EXPECT_EQ(encode(prompting, texts, none),
            encode(*SentenceEncoder::load(kModels + "bert_st"), texts, none));
  EXPECT_NE(encode(prompting, texts, {}), encode(prompting, texts, none));
}

TEST(SentenceEncoder, TokenCountsShowTruncation) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  const std::vector<std::string> texts{"the cat sat on the mat the cat sat on the mat", "the"};
  EncodeOptions options;
  options.max_length = 6;
  std::vector<int32_t> counts(2);
  std::vector<float> out(2 * static_cast<size_t>(encoder->dimension()));
  encoder->encode(views(texts), options, out.data(), counts.data());
  EXPECT_GT(counts[0], 6);
  EXPECT_EQ(counts[1], 3);
}

TEST(SentenceEncoder, ExcludedIdsAndPromptTokensStayOutOfPooling) {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  folder.poolings = {"mean"};
  folder.normalize = false;
  folder.include_prompt = false;
  const SentenceEncoder encoder(folder);
  EncodeOptions prompted;
  prompted.prompt = "the cat";
  text::TokenBatch batch;
  encoder.tokenizer().append("the cat sat", 0, batch);
  EncodeOptions excluded;  // [CLS] and the prompt's tokens "the" and "cat"
  for (size_t i = 0; i < 3; ++i) excluded.exclude_ids.push_back(batch.ids[i]);
  const std::vector<float> got = encode(encoder, {" sat"}, prompted);
  const std::vector<float> expected = encoder.embed(batch, excluded);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6);
  EncodeOptions all = excluded;
  all.normalize = 1;
  all.exclude_ids.assign(batch.ids.begin(), batch.ids.end());
  for (const float number : encoder.embed(batch, all)) EXPECT_EQ(number, 0) << "zero, not NaN";
}

// sentence-transformers counts the tokens of the prompt after truncation, so the closing token of
// the text remains. Its cls pooling takes the first remaining token.
TEST(SentenceEncoder, APromptThatFillsTheTextLeavesItsLastToken) {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  folder.normalize = false;
  folder.include_prompt = false;
  folder.poolings = {"lasttoken"};
  folder.max_seq_length = 6;
  const SentenceEncoder encoder(folder);
  EncodeOptions prompted, whole;
  prompted.prompt = "the cat sat the cat sat the cat sat";
  whole.prompt = "";
  const std::vector<float> last = encode(encoder, {*prompted.prompt + " red"}, whole);
  for (const char* pooling : {"cls", "max", "mean", "mean-sqrt", "weightedmean", "lasttoken",
                              "layer:2:cls", "layer:2:mean"}) {
    prompted.pooling = pooling;
    const std::vector<float> got = encode(encoder, {" red"}, prompted);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], last[i], 1e-6) << pooling;
  }
  prompted.prompt = "the";
  for (const char* pooling : {"cls", "layer:2:cls"}) {  // the token after [CLS] and the prompt
    prompted.pooling = pooling;
    text::TokenBatch batch;
    encoder.tokenizer().append("the cat", 0, batch);
    EncodeOptions only;
    only.pooling = "mean";
    only.exclude_ids = {batch.ids[0], batch.ids[1], batch.ids[3]};
    const std::vector<float> got = encode(encoder, {" cat"}, prompted),
                             expected = encoder.embed(batch, only);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6) << pooling;
  }
}

TEST(SentenceEncoder, MalformedTextIsRefusedWhereAsked) {
  LoadOptions options;
  options.invalid_utf8 = text::InvalidUtf8::kError;
  const auto strict = SentenceEncoder::load(kModels + "bert_st_old", options),
             lenient = SentenceEncoder::load(kModels + "bert_st_old");
  // More than one chunk of texts, with two malformed ones: the error names the first one and counts
  // its own bytes, not those of the default prompt before it.
  std::vector<std::string> texts(300, "the cat sat");
  texts[200] = "a \xC3";
  texts[123] = "caf\xC3\xA9 \xFF dog";
  std::string message;
  EXPECT_EQ(status_of([&] { encode(*strict, texts); }, &message), Status::kFormat);
  EXPECT_THAT(message, testing::HasSubstr("texts[123] is not valid UTF-8 at byte 6 "));
  EXPECT_EQ(status_of([&] { encode(*lenient, texts); }), Status::kOk);
  EXPECT_EQ(status_of([&] { encode(*strict->snapshot(), texts); }), Status::kFormat);
  texts[123] = texts[200] = "caf\xC3\xA9 \xEF\xBF\xBD dog";
  EXPECT_EQ(encode(*strict, texts), encode(*lenient, texts));
  EXPECT_EQ(strict->fingerprint(), lenient->fingerprint()) << "it does not affect embeddings";
  EXPECT_EQ(strict->info()["invalid_utf8"], "error");
  EXPECT_EQ(lenient->info()["invalid_utf8"], "replace");
}

TEST(SentenceEncoder, WrongOptionsSayWhatIsAllowed) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  const auto refused = [&](const EncodeOptions& options, const std::string& part) {
    std::string message;
    EXPECT_EQ(status_of([&] { encode(*encoder, {"a"}, options); }, &message), Status::kArgument);
    EXPECT_THAT(message, testing::HasSubstr(part));
  };
  EncodeOptions options;
  options.pooling = "meen";
  refused(options, "did you mean 'mean'");
  options = {};
  options.prompt_name = "nobody";
  refused(options, "nobody");
  options = {};
  options.truncate_dim = 1000;
  refused(options, "truncate_dim");
  options = {};
  options.max_length = 100000;
  refused(options, "max_length");
  options = {};
  options.normalize = 2;
  refused(options, "normalize");
}

TEST(SentenceEncoder, NoTextsWriteNothingAndNoBufferIsRefused) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  EXPECT_NO_THROW(encoder->encode({}, {}, nullptr));
  EXPECT_EQ(status_of([&] { encoder->encode({"a"}, {}, nullptr); }), Status::kArgument);
  EXPECT_EQ(encoder->embed({}).size(), 0u);
}

TEST(SentenceEncoder, APoolingIsNeverGuessed) {
  std::string message;
  EXPECT_EQ(status_of([] { SentenceEncoder::load(kModels + "roberta_hf"); }, &message),
            Status::kArgument);
  EXPECT_THAT(message, testing::HasSubstr("states no pooling, and none is guessed"));
  LoadOptions looks;
  looks.embeds = false;
  const auto plain = SentenceEncoder::load(kModels + "roberta_hf", looks);
  EXPECT_GT(plain->max_length(), 2);
  EXPECT_TRUE(plain->info().at("dimension").is_null());
  EXPECT_EQ(status_of([&] { encode(*plain, {"a"}); }, &message), Status::kArgument);
  EXPECT_THAT(message, testing::HasSubstr("states no pooling, and none is guessed"));
  EXPECT_EQ(SentenceEncoder::load(kModels + "roberta_hf", with_pooling("cls"))->dimension(), 24);
}

TEST(SentenceEncoder, ACancelledCallStops) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  Cancel cancel;
  cancel.trigger();
  EncodeOptions options;
  options.cancel = &cancel;
  EXPECT_EQ(status_of([&] { encode(*encoder, {"a", "b"}, options); }), Status::kCancelled);
  EXPECT_NO_THROW(encode(*encoder, {"a"}));
}

TEST(SentenceEncoder, TheFingerprintFollowsWhatDecidesAnEmbedding) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  const std::string print = encoder->fingerprint();
  EXPECT_EQ(print.size(), 64U);
  const auto copy = encoder->snapshot();
  EXPECT_EQ(copy->fingerprint(), print);
  copy->set_pooling({"cls"});
  EXPECT_NE(copy->fingerprint(), print);
  const auto trained = encoder->snapshot();
  nn::trainable(trained->encoder()).weights().layers[0].output.bias.add_(1e-3);
  EXPECT_NE(trained->fingerprint(), print);
  EXPECT_EQ(encoder->fingerprint(), print);
}

TEST(SentenceEncoder, ASavedModelEncodesAlike) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st_old");
  const std::string path = testing::TempDir() + "/saved_encoder";
  std::filesystem::remove_all(path);
  encoder->save(path);
  const std::vector<std::string> texts{"the cat sat", "", "a dog on the mat"};
  EXPECT_EQ(encode(*SentenceEncoder::load(path), texts), encode(*encoder, texts));
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace contrastive::model
