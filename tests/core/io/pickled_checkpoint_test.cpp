// Files that Python's torch wrote (tests/golden/pickled/make.py), compared bit for bit with
// safetensors, and constructed files.
#include "core/io/pickled_checkpoint.h"

#include "core/io/model_folder.h"
#include "core/io/shard_index.h"
#include "tests/core/io/files.h"
#include "tests/core/io/pickle_bytes.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

using namespace test;
using testing::HasSubstr;

const std::string kPickled = fixtures() + "/pickled/";

TensorMap read_all(const std::string& path, bool mapped = false, bool whole_numbers = false) {
  const PickledCheckpoint file(path);
  std::vector<TensorSource> sources;
  for (const TensorEntry& entry : file.entries()) sources.push_back({&file, &entry});
  TensorReadOptions options;
  options.memory_map = mapped;
  options.whole_numbers = whole_numbers;
  const std::vector<Tensor> tensors = read_tensors(sources, options);
  TensorMap map;
  for (size_t i = 0; i < tensors.size(); ++i) map[sources[i].entry->name] = tensors[i];
  return map;
}

// Opens and reads a file with these bytes.
void read_bytes(const std::string& bytes) {
  const TemporaryFolder folder;
  write_text(folder / "a.bin", bytes);
  read_all(folder / "a.bin");
}

ReadOptions with_pickle(bool mapped = false) {
  ReadOptions options;
  options.allow_pickle = true;
  options.memory_map = mapped;
  return options;
}

void expect_same(const TensorMap& a, const TensorMap& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) EXPECT_TRUE(b.at(name) == tensor) << name;
}

TEST(PickledCheckpoint, ModelsAreWhatTheyAreInSafetensors) {
  for (const std::string name : {"models/bert_f16", "models/bert_bf16", "models/bert_gamma",
                                 "models/roberta_sharded", "models/bert_st_old", "families/t5"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder(fixtures() + "/" + name);
    const ModelFolder expected = read_model_folder(folder.path());
    std::vector<std::filesystem::path> old;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      if (entry.path().string().find(".safetensors") != std::string::npos)
        old.push_back(entry.path());
    }
    for (const auto& path : old) std::filesystem::remove(path);
    std::filesystem::copy(kPickled + name.substr(name.find('/') + 1), folder.path(),
                          std::filesystem::copy_options::recursive);
    expect_error(Status::kUnsupported, "unless allow_pickle = true allows it",
                 [&] { read_model_folder(folder.path()); });
    for (const bool mapped : {false, true}) {
      const ModelFolder model = read_model_folder(folder.path(), with_pickle(mapped));
      expect_same(model.weights, expected.weights);
      ASSERT_EQ(model.dense.size(), expected.dense.size());
      for (size_t i = 0; i < model.dense.size(); ++i)
        EXPECT_TRUE(model.dense[i].weight == expected.dense[i].weight);
      EXPECT_THAT(model.notes[0], HasSubstr("pytorch_model"));
    }
  }
}

TEST(PickledCheckpoint, SafetensorsWins) {
  const TemporaryFolder folder(kModels + "bert_f16");
  write_text(folder / "pytorch_model.bin", "of somebody else");
  EXPECT_THAT(read_model_folder(folder.path(), with_pickle()).notes[0],
              HasSubstr("model.safetensors"));
}

TEST(PickledCheckpoint, ViewsOfOneStorage) {
  const TensorMap expected = read_safetensors(kPickled + "views.safetensors");
  expect_same(read_all(kPickled + "views.bin"), expected);
  expect_same(read_all(kPickled + "views.bin", true), expected);
}

TEST(PickledCheckpoint, WholeNumbersHaveTheirTypes) {
  const PickledCheckpoint file(kPickled + "whole_numbers.bin");
  for (const auto& [name, type] : {std::pair("int64", "I64"),
                                   {"int32", "I32"},
                                   {"int16", "I16"},
                                   {"int8", "I8"},
                                   {"uint8", "U8"},
                                   {"bool", "BOOL"}}) {
    ASSERT_NE(file.find(name), nullptr) << name;
    EXPECT_EQ(file.find(name)->dtype, type);
    EXPECT_EQ(file.find(name)->elements, 3);
  }
  expect_error(Status::kUnsupported, "'int64' has elements of type I64",
               [] { read_all(kPickled + "whole_numbers.bin"); });
}

TEST(PickledCheckpoint, OtherFilesOfTorchAreRefusedInASentence) {
  expect_error(Status::kUnsupported, "in the format of torch before 1.6",
               [] { PickledCheckpoint(kPickled + "before_1_6.bin"); });
  expect_error(Status::kUnsupported, "the class 'torch.nn.modules.linear.Linear'",
               [] { PickledCheckpoint(kPickled + "whole_model.bin"); });
  expect_error(Status::kUnsupported, "'epoch' is not a tensor",
               [] { PickledCheckpoint(kPickled + "training_run.bin"); });
  expect_error(Status::kUnsupported, "'a': the shape [1000] has more elements than its storage, 24",
               [] { PickledCheckpoint(kPickled + "expanded.bin"); });
  const std::string pickle = pickled_state({view_named("a")}), storage(16, '\0');
  expect_error(Status::kUnsupported, "byteorder is 'big'", [&] {
    read_bytes(zip_bytes({{"a/data.pkl", pickle}, {"a/byteorder", "big"}, {"a/data/0", storage}}));
  });
  expect_error(Status::kUnsupported, "is a TorchScript program", [&] {
    read_bytes(
        zip_bytes({{"a/data.pkl", pickle}, {"a/constants.pkl", "x"}, {"a/data/0", storage}}));
  });
  expect_error(Status::kFormat, "has no data.pkl",
               [&] { read_bytes(zip_bytes({{"a/data/0", storage}})); });
  expect_error(Status::kFormat, "lies outside of the one folder",
               [&] { read_bytes(zip_bytes({{"a/data.pkl", pickle}, {"b/data/0", storage}})); });
}

TEST(PickledCheckpoint, DamageIsCorrupt) {
  EXPECT_EQ(read_all(kPickled + "no_checksums.bin").at("bias").floats()[1], 2.0f);
  std::string bytes = read_text(kPickled + "linear.bin");
  const std::string ones("\0\0\x80\x3f", 4);
  const size_t place = bytes.find(ones + ones);
  ASSERT_NE(place, std::string::npos);
  bytes[place + 1] = 1;
  expect_error(Status::kCorrupt, "entry 'linear/data/0' does not have the CRC-32",
               [&] { read_bytes(bytes); });
  std::string pickle = read_text(kPickled + "linear.bin");
  const size_t name = pickle.find("weight");
  pickle[name] = 'W';
  expect_error(Status::kCorrupt, "entry 'linear/data.pkl' does not have the CRC-32",
               [&] { read_bytes(pickle); });
}

TEST(PickledCheckpoint, ViewsThatLeaveTheirStorageAreRefused) {
  const auto changed = [](const std::function<void(PickledView&)>& change) {
    PickledView view = view_named("a");
    change(view);
    return checkpoint_bytes(pickled_state({view}), std::string(16, '\0'));
  };
  const int64_t most = std::numeric_limits<int32_t>::max();
  const struct {
    Status status;
    const char* message;
    std::function<void(PickledView&)> change;
  } bad[] = {
      {Status::kFormat, "its storage data/7 is missing", [](PickledView& view) { view.key = "7"; }},
      {Status::kFormat, "its storage data/../0 is missing",
       [](PickledView& view) { view.key = "../0"; }},
      {Status::kFormat, "has 16 bytes where 5 elements of type F32 are stated",
       [](PickledView& view) { view.storage = 5; }},
      {Status::kFormat, "has 16 bytes where 4 elements of type F64 are stated",
       [](PickledView& view) { view.type = "DoubleStorage"; }},
      {Status::kFormat, "ends with element 4 of a storage of 4",
       [](PickledView& view) { view.first = 1; }},
      {Status::kFormat, "ends with element 6 of a storage of 4",
       [](PickledView& view) { view.strides = {2}; }},
      {Status::kFormat, "ends with element", [=](PickledView& view) { view.strides = {most}; }},
      {Status::kUnsupported, "more elements than its storage",
       [](PickledView& view) { view.shape = {5}; }},
      {Status::kUnsupported, "more elements than its storage",
       [=](PickledView& view) { view.shape = {most, most}, view.strides = {0, 0}; }},
      {Status::kUnsupported, "more elements than its storage",
       [=](PickledView& view) { view.shape = {0, most, most, most}, view.strides = {1, 1, 1, 1}; }},
      {Status::kFormat, "the shape of a tensor must be a tuple of whole numbers",
       [](PickledView& view) { view.shape = {-1}; }},
      {Status::kFormat, "the strides of a tensor must be",
       [](PickledView& view) { view.strides = {-1}; }},
      {Status::kFormat, "1 dimensions and 0 strides", [](PickledView& view) { view.strides = {}; }},
      {Status::kFormat, "the first element of a tensor must be",
       [](PickledView& view) { view.first = -1; }},
  };
  for (const auto& view : bad) {
    SCOPED_TRACE(view.message);
    expect_error(view.status, view.message, [&] { read_bytes(changed(view.change)); });
  }
  read_bytes(changed([](PickledView&) {}));
}

TEST(PickledCheckpoint, ManyTensorsOfOneStorageAreALimit) {
  std::vector<PickledView> views;
  for (int i = 0; i < 4000; ++i) {
    PickledView view = view_named(std::to_string(i));
    view.storage = 4096, view.shape = {4096};
    views.push_back(view);
  }
  const std::string bytes = checkpoint_bytes(pickled_state(views), std::string(4 * 4096, '\0'));
  expect_error(Status::kLimit, "more than 16 times as large as the file",
               [&] { read_bytes(bytes); });
}

TEST(PickledCheckpoint, ElementsFarApartAreALimit) {
  PickledView view = view_named("a");
  view.storage = 4096, view.shape = {2}, view.strides = {4000};
  const std::string storage(4 * 4096, '\0');
  expect_error(Status::kLimit, "takes 16004 bytes of its storage, gaps included",
               [&] { read_bytes(checkpoint_bytes(pickled_state({view}), storage)); });
  view.shape = {2, 1},
  view.strides = {16, std::numeric_limits<int32_t>::max()};  // the second file always exists
  read_bytes(checkpoint_bytes(pickled_state({view}), storage));
}

TEST(PickledCheckpoint, AStorageHasOneType) {
  PickledView half = view_named("b");
  half.type = "HalfStorage", half.storage = 8;
  const std::string bytes =
      checkpoint_bytes(pickled_state({view_named("a"), half}), std::string(16, '\0'));
  expect_error(Status::kFormat, "for elements of type F16, where another tensor takes it for F32",
               [&] { read_bytes(bytes); });
}

TEST(PickledCheckpoint, CutAnywhereItIsRefused) {
  const std::string bytes = read_text(kPickled + "linear.bin");
  for (size_t length = 0; length < bytes.size(); length += 7) {
    SCOPED_TRACE(length);
    expect_error(Status::kFormat, "a.bin", [&] { read_bytes(bytes.substr(0, length)); });
  }
}

TEST(PickledCheckpoint, OtherNamesStayRefused) {
  const TemporaryFolder folder;
  write_text(folder / "model.pt", read_text(kPickled + "linear.bin"));
  expect_error(Status::kUnsupported, "pickle is not read, but from pytorch_model.bin",
               [&] { open_weight_files(folder.path(), true); });
}

}  // namespace
}  // namespace contrastive::io
