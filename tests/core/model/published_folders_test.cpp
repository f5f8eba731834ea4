// Folders with the keys of published models (tests/fixtures/published.json) and random weights:
// each loads, embeds and reports what its files state, or is refused with a sentence.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/encoder/weights.h"
#include "core/io/hf_config.h"
#include "core/io/safetensors.h"
#include "core/io/weight_names.h"
#include "core/model/sentence_encoder.h"
#include "tests/core/io/pickle_bytes.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::model {
namespace {

const Json& published() {
  static const Json all = read_json_file(fixtures() + "/published.json");
  return all;
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const Json& model : published().at("models"))
    names.push_back(model.at("name").get<std::string>());
  return names;
}

const Json& model_named(const std::string& name) {
  for (const Json& model : published().at("models")) {
    if (model.at("name") == name) return model;
  }
  fail(Status::kInternal, name);
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// A float in the format of the file. F16 supports normal numbers and truncates.
std::string stored(float value, const std::string& dtype) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (dtype == "F32") return little_endian(bits, 4);
  if (dtype == "BF16") return little_endian(bits >> 16, 2);
  const int64_t exponent = (bits >> 23 & 0xff) - int64_t{112};
  return little_endian((bits >> 16 & 0x8000) |
                           (exponent <= 0
                                ? 0
                                : static_cast<uint32_t>(exponent) << 10 | (bits >> 13 & 0x3ff)),
                       2);
}

struct Stored {
  std::string dtype, data;
  std::vector<int64_t> shape;
};
using StoredMap = std::map<std::string, Stored>;

StoredMap stored_map(const TensorMap& tensors, const std::string& dtype,
                     const std::string& prefix) {
  StoredMap all;
  for (const auto& [name, tensor] : tensors) {
    Stored& own = all[prefix + name];
    own.dtype = dtype, own.shape = tensor.shape();
    for (int64_t i = 0; i < tensor.elements(); ++i) own.data += stored(tensor.floats()[i], dtype);
  }
  return all;
}

void write_safe(const std::string& path, const StoredMap& tensors) {
  Json header = Json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    header[name] = {{"dtype", tensor.dtype},
                    {"shape", tensor.shape},
                    {"data_offsets", {data.size(), data.size() + tensor.data.size()}}};
    data += tensor.data;
  }
  const std::string text = header.dump();
  write_bytes(path, little_endian(text.size(), 8) + text + data);
}

void write_pickled(const std::string& path, const StoredMap& tensors) {
  std::vector<test::PickledView> views;
  std::vector<ZipPart> parts(1);
  for (const auto& [name, tensor] : tensors) {
    test::PickledView view = test::view_named(name);
    view.key = std::to_string(views.size());
    view.type = tensor.dtype == "I64" ? "LongStorage" : "FloatStorage";
    view.shape = tensor.shape, view.strides.assign(tensor.shape.size(), 1), view.storage = 1;
    for (size_t i = tensor.shape.size(); i-- > 0;)
      view.strides[i] = view.storage, view.storage *= tensor.shape[i];
    parts.push_back({"archive/data/" + view.key, tensor.data});
    views.push_back(view);
  }
  parts[0] = {"archive/data.pkl", test::pickled_state(views)};
  write_bytes(path, zip_bytes(parts));
}

// Writes the weights in the form of the entry of published.json: one file, two shards, or pickled.
void write_weights(const std::string& folder, const StoredMap& tensors, const Json& model) {
  if (model.contains("pickled")) return write_pickled(folder + "/pytorch_model.bin", tensors);
  if (!model.contains("shards")) return write_safe(folder + "/model.safetensors", tensors);
  StoredMap shards[2];
  Json map = Json::object();
  for (const auto& [name, tensor] : tensors) {
    const size_t shard = map.size() % 2;
    shards[shard][name] = tensor;
    map[name] = cat("model-0000", shard + 1, "-of-00002.safetensors");
  }
  for (size_t i = 0; i < 2; ++i)
    write_safe(cat(folder, "/model-0000", i + 1, "-of-00002.safetensors"), shards[i]);
  write_bytes(folder + "/model.safetensors.index.json",
              Json({{"metadata", {{"total_size", 1}}}, {"weight_map", map}}).dump());
}

void make_folder(const std::string& folder, const Json& model) {
  const std::string root =
      model.contains("root") ? "/" + model.at("root").get<std::string>() + "/" : "/";
  for (const auto& [name, content] : model.at("files").items())
    write_bytes(folder + (name == "config.json" ? root : "/") + name, content.dump());
  write_bytes(folder + root + "tokenizer.json", published().at("tokenizer.json").dump());
  std::vector<std::string> notes;
  const encoder::Architecture architecture =
      io::read_hf_config(model.at("files").at("config.json"), "config.json", notes);
  const std::string dtype = model.value("dtype", "F32");
  StoredMap tensors =
      stored_map(io::checkpoint_tensors(architecture, encoder::random_weights(architecture, 7,
                                                                              architecture.pooler)),
                 dtype, model.value("prefix", ""));
  if (model.contains("extra")) {
    for (const auto& [name, tensor] : model.at("extra").items()) {
      Stored& own = tensors[name];
      own.dtype = tensor[0].get<std::string>();
      own.shape = tensor[1].get<std::vector<int64_t>>();
      int64_t bytes = io::bytes_of(own.dtype);
      for (const int64_t extent : own.shape) bytes *= extent;
      own.data.assign(static_cast<size_t>(bytes), '\0');
    }
  }
  write_weights(folder + root, tensors, model);
  for (const auto& [name, content] : model.at("files").items()) {
    if (name.find("_Dense/") == std::string::npos) continue;
    const auto in = content.at("in_features").get<int64_t>(),
               out = content.at("out_features").get<int64_t>();
    TensorMap dense = {{"linear.weight", Tensor::filled({out, in}, 0.25F)}};
    dense["linear.weight"].mutable_floats()[1] = -1;
    if (content.at("bias") == true) dense["linear.bias"] = Tensor::filled({out}, 0.5F);
    Json whole = model;
    whole.erase("shards");
    write_weights(folder + "/" + name.substr(0, name.find('/')), stored_map(dense, "F32", ""),
                  whole);
  }
}

class PublishedFolders : public testing::TestWithParam<std::string> {};

TEST_P(PublishedFolders, AreReadOrRefusedInASentence) {
  const Json& model = model_named(GetParam());
  const TemporaryFolder folder;
  LoadOptions options;
  options.allow_pickle = true;
  if (model.contains("refused")) {
    for (const auto& [name, content] : model.at("files").items())
      write_bytes(folder / name, content.dump());
    expect_error(Status::kUnsupported, model.at("refused").get<std::string>(),
                 [&] { SentenceEncoder::load(folder.path(), options); });
    return;
  }
  make_folder(folder.path(), model);
  const auto loaded = SentenceEncoder::load(folder.path(), options);
  const Json info = loaded->info();
  const Json& expected = model.at("expect");
  EXPECT_EQ(info.at("family"), expected.at("family"));
  EXPECT_EQ(info.at("dimension"), expected.at("dimension"));
  EXPECT_EQ(info.at("max_length"), expected.at("max_seq_length"));
  EXPECT_EQ(info.at("pooling"), expected.at("poolings"));
  EXPECT_EQ(info.at("normalize"), expected.at("normalize"));
  EXPECT_EQ(info.at("prompts").size(), expected.value("prompts", size_t{0}));
  EXPECT_NE(info.at("notes").dump().find(expected.value("note", "")), std::string::npos);
  const std::vector<std::string_view> texts = {"a dog", "the cat sat on a mat"};
  std::vector<float> rows(2 * expected.at("dimension").get<size_t>());
  loaded->encode(texts, EncodeOptions(), rows.data());
  double sum = 0;
  for (const float value : rows) sum += std::abs(static_cast<double>(value));
  EXPECT_TRUE(std::isfinite(sum) && sum > 0);
  if (model.contains("pickled")) {
    expect_error(Status::kUnsupported, "unless allow_pickle = true allows it",
                 [&] { SentenceEncoder::load(folder.path()); });
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PublishedFolders, testing::ValuesIn(published_names()), test_name);

}  // namespace
}  // namespace contrastive::model
