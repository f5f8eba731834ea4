// Sentence encoders read from the fixtures' folders, against the values that Hugging Face and
// sentence-transformers compute for them.
#include "core/model/sentence_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/core/model/encoding.h"
#include "tests/temporary_folder.h"
#include "tests/expect_error.h"

namespace contrastive::model {
namespace {

const std::vector<std::string> kFolders{"bert_st",   "bert_st_old", "bert_gamma",     "bert_f16",
                                        "bert_bf16", "roberta_hf",  "roberta_sharded"};

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
  expect_error(Status::kFormat, "texts[123] is not valid UTF-8 at byte 6 ",
               [&] { encode(*strict, texts); });
  EXPECT_NO_THROW(encode(*lenient, texts));
  expect_error(Status::kFormat, "texts[123] is not valid UTF-8 at byte 6",
               [&] { encode(*strict->snapshot(), texts); });
  texts[123] = texts[200] = "caf\xC3\xA9 \xEF\xBF\xBD dog";
  EXPECT_EQ(encode(*strict, texts), encode(*lenient, texts));
  EXPECT_EQ(strict->fingerprint(), lenient->fingerprint()) << "it does not affect embeddings";
  EXPECT_EQ(strict->info()["invalid_utf8"], "error");
  EXPECT_EQ(lenient->info()["invalid_utf8"], "replace");
}

TEST(SentenceEncoder, NoTextsWriteNothingAndNoBufferIsRefused) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  EXPECT_NO_THROW(encoder->encode({}, {}, nullptr));
  expect_error(Status::kArgument, "embeddings is null for 1 texts",
               [&] { encoder->encode({"a"}, {}, nullptr); });
  EXPECT_EQ(encoder->embed({}).size(), 0u);
}

TEST(SentenceEncoder, ACancelledCallStops) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  Cancel cancel;
  cancel.trigger();
  EncodeOptions options;
  options.cancel = &cancel;
  expect_error(Status::kCancelled, "cancelled", [&] { encode(*encoder, {"a", "b"}, options); });
  EXPECT_NO_THROW(encode(*encoder, {"a"}));
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
