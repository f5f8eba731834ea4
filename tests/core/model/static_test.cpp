// Static embeddings: folders of model2vec and of sentence-transformers' StaticEmbedding
// (tests/golden/static/make.py), read, embedded with and written back.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "core/io/atomic_file.h"
#include "core/io/model_folder.h"
#include "core/io/safetensors.h"
#include "core/io/tensor_reader.h"
#include "core/model/sentence_encoder.h"
#include "core/runtime/threads.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::model {
namespace {

const std::string kStatic = fixtures() + "/../golden/static/";

Json golden() { return read_json_file(kStatic + "static.json"); }

std::vector<float> vectors_of(const SentenceEncoder& model, const std::vector<std::string>& texts,
                              const EncodeOptions& options = {}) {
  std::vector<float> vectors(texts.size() * static_cast<size_t>(model.dimension(options)));
  model.encode({texts.begin(), texts.end()}, options, vectors.data());
  return vectors;
}

void expect_vectors(const std::vector<float>& vectors, const Json& expected, double tolerance) {
  ASSERT_EQ(vectors.size(), expected.size() * expected.at(0).size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const size_t width = expected.at(i).size();
    for (size_t k = 0; k < width; ++k)
      EXPECT_NEAR(vectors[i * width + k], expected.at(i).at(k).get<double>(), tolerance)
          << "text " << i << ", " << k;
  }
}

TEST(Static, FoldersOfBothFormsGiveTheVectorsOfTheirLibraries) {
  const Json all = golden();
  const std::vector<std::string> texts = all.at("texts").get<std::vector<std::string>>();
  for (const auto& [name, folder] : all.at("folders").items()) {
    SCOPED_TRACE(name);
    const auto model = SentenceEncoder::load(kStatic + name);
    EXPECT_EQ(model->shape().num_hidden_layers, 0);
    EXPECT_EQ(model->folder().normalize, name != "quantized");
    // model2vec sums the quantised table in float16.
    expect_vectors(vectors_of(*model, texts), folder.at("vectors"),
                   name == "quantized" ? 2e-3 : 1e-6);
  }
}

TEST(Static, AQuantisedVocabularyIsUnfolded) {
  const TensorMap tensors = io::read_safetensors(kStatic + "quantized/model.safetensors", [] {
    io::TensorReadOptions options;
    options.whole_numbers = true;
    return options;
  }());
  const auto model = SentenceEncoder::load(kStatic + "quantized");
  const Tensor table = model->encoder().named_parameters()[0].second;
  const Tensor &rows = tensors.at("embeddings"), &weights = tensors.at("weights"),
               &mapping = tensors.at("mapping");
  ASSERT_EQ(table.size(0), mapping.elements());
  for (int64_t token = 0; token < table.size(0); ++token) {
    const int64_t row = static_cast<const int64_t*>(mapping.data())[token];
    for (int64_t i = 0; i < table.size(1); ++i) {
      EXPECT_FLOAT_EQ(table.floats()[token * table.size(1) + i],
                      weights.floats()[token] * rows.floats()[row * table.size(1) + i]);
    }
  }
}

TEST(Static, SavedFoldersKeepTheirFormAndTheirVectors) {
  const std::vector<std::string> texts = golden().at("texts").get<std::vector<std::string>>();
  for (const std::string name : {"model2vec", "quantized", "sentence_transformers"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const auto model = SentenceEncoder::load(kStatic + name);
    model->save(folder / "model");
    const auto back = SentenceEncoder::load(folder / "model");
    EXPECT_EQ(vectors_of(*back, texts), vectors_of(*model, texts));
    EXPECT_EQ(back->max_length(), model->max_length());
    EXPECT_EQ(std::filesystem::exists(folder / "model/config.json"),
              name != "sentence_transformers");
    EXPECT_EQ(read_json_file(folder / "model/modules.json").at(0).at("type"),
              "sentence_transformers.models.StaticEmbedding");
    const io::SafetensorsFile file(folder / "model/model.safetensors");
    EXPECT_NE(file.find(name == "sentence_transformers" ? "embedding.weight" : "embeddings"),
              nullptr);
    back->save(folder / "model");  // replaces such a folder
  }
}

TEST(Static, WithoutModulesJsonModel2vecsConfigDecides) {
  const TemporaryFolder folder(kStatic + "model2vec");
  std::filesystem::remove(folder / "modules.json");
  const std::vector<std::string> texts = {"the old red house"};
  EXPECT_EQ(vectors_of(*SentenceEncoder::load(folder.path()), texts),
            vectors_of(*SentenceEncoder::load(kStatic + "model2vec"), texts));
}

// Keys of model2vec's config.json that change the vectors of the same table and tokenizer.
TEST(Static, AFingerprintSaysWhetherUnknownTokensCount) {
  const std::vector<std::string> texts = {"the \xe4\xb8\xad house"};
  const TemporaryFolder folder(kStatic + "model2vec");
  Json config = read_json_file(folder / "config.json");
  config["max_length"] = 64;  // as the truncation of its tokenizer.json
  const auto loaded = [&](const char* type) {
    config["model_type"] = type;
    std::filesystem::remove(folder / "config.json");
    folder.write("config.json", config.dump());
    return SentenceEncoder::load(folder.path());
  };
  const auto skips = loaded("model2vec"), counts = loaded("other");
  EXPECT_EQ(skips->max_length(), counts->max_length());
  EXPECT_NE(vectors_of(*skips, texts), vectors_of(*counts, texts));
  EXPECT_NE(skips->fingerprint(), counts->fingerprint());
}

TEST(Static, AnyNumberOfThreadsGivesTheSameBits) {
  const auto model = SentenceEncoder::load(kStatic + "model2vec");
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i)
    texts.push_back("the old house " + std::to_string(i) +
                    (i % 7 == 0 ? " water tree green red" : ""));
  const int before = runtime::threads();
  runtime::set_threads(1);
  const std::vector<float> alone = vectors_of(*model, texts);
  runtime::set_threads(3);
  EXPECT_EQ(vectors_of(*model, texts), alone);
  runtime::set_threads(before);
}

TEST(Static, OnlyTheMeanIsAPooling) {
  const auto model = SentenceEncoder::load(kStatic + "model2vec");
  EncodeOptions options;
  options.pooling = "cls";
  expect_error(Status::kArgument, "use mean", [&] { vectors_of(*model, {"the"}, options); });
  options.pooling = "mean";
  options.normalize = 0;
  options.truncate_dim = 5;
  EXPECT_EQ(vectors_of(*model, {"the"}, options).size(), 5u);
  options.exclude_ids = {model->tokenizer().id("the")};
  EXPECT_EQ(vectors_of(*model, {"the"}, options), std::vector<float>(5, 0.0f)) << "nothing is left";
  LoadOptions int8;
  int8.precision = "int8";
  expect_error(Status::kUnsupported, "precision is int8",
               [&] { SentenceEncoder::load(kStatic + "model2vec", int8); });
}

TEST(Static, TablesThatDoNotFitAreRefused) {
  const auto refused = [](Status status, const std::string& message, const auto& change) {
    const TemporaryFolder folder(kStatic + "quantized");
    io::TensorReadOptions options;
    options.whole_numbers = true;
    TensorMap tensors = io::read_safetensors(folder / "model.safetensors", options);
    change(tensors);
    std::filesystem::remove(folder / "model.safetensors");
    io::OutputFile file(folder / "model.safetensors");
    io::write_safetensors(file, tensors);
    file.finish();
    expect_error(status, message, [&] { SentenceEncoder::load(folder.path()); });
  };
  refused(Status::kFormat, "gives token 3 the row 7 of 7",
          [](TensorMap& t) { static_cast<int64_t*>(t["mapping"].mutable_data())[3] = 7; });
  refused(Status::kFormat, "the row -1",
          [](TensorMap& t) { static_cast<int64_t*>(t["mapping"].mutable_data())[0] = -1; });
  refused(Status::kMismatch, "'weights' is not one number",
          [](TensorMap& t) { t["weights"] = Tensor::filled({3}, 1); });
  refused(Status::kMismatch, "the embedding matrix only",
          [](TensorMap& t) { t.erase("mapping"), t.erase("weights"); });
  refused(Status::kFormat, "needs the tensor", [](TensorMap& t) { t.erase("embeddings"); });
  // A file of 5 MB that would need 512 GiB.
  refused(Status::kLimit, "above the limit of 1073741824", [](TensorMap& t) {
    t["embeddings"] = Tensor::filled({1, 1 << 17}, 1);
    t["mapping"] = Tensor({1 << 20}, ElementType::kInt64);
    std::memset(t["mapping"].mutable_data(), 0, static_cast<size_t>(t["mapping"].bytes()));
    t.erase("weights");
  });
  refused(Status::kNumeric, "token 0: its row times its weight 2 is not finite", [](TensorMap& t) {
    t["embeddings"] = Tensor::filled({7, 2}, 3e38f);
    t["weights"].mutable_floats()[0] = 2;
  });
  refused(Status::kMismatch, "holds 4 tensors",
          [](TensorMap& t) { t["more"] = Tensor::filled({3}, 1); });
  const TemporaryFolder folder(kStatic + "model2vec");
  std::filesystem::remove(folder / "tokenizer.json");
  expect_error(Status::kNotFound, "tokenizer.json", [&] { SentenceEncoder::load(folder.path()); });
}

}  // namespace
}  // namespace contrastive::model
