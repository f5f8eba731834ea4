#include <string>

#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/core/io/saves.h"
#include "tests/expect_error.h"
#include "tests/file_size_limit.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::names;
using test::read_text;

TEST(ModelFolderWrite, AFullDiskLosesNothing) {
  const TemporaryFolder folder;
  ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model);
  const std::string before = read_text(folder / "saved/model.safetensors");
  model.weights.at("embeddings.LayerNorm.bias").mutable_floats()[0] += 1;
  {
    const FileSizeLimit full(40'000);
    expect_error(Status::kNoSpace, "model.safetensors: cannot be written",
                 [&] { write_model_folder(folder / "saved", model); });
  }
  EXPECT_EQ(read_text(folder / "saved/model.safetensors"), before);
  EXPECT_EQ(names(folder.path()).size(), 1u);
}

}  // namespace
}  // namespace contrastive::io
