#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::read_text;

TEST(ModelFolderWrite, AFullDiskLosesNothing) {
  const TemporaryFolder folder;
  ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model);
  const std::string before = read_text(folder / "saved/model.safetensors");
  model.weights.at("embeddings.LayerNorm.bias").mutable_floats()[0] += 1;
  struct rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = limit;
  small.rlim_cur = 40'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_error(Status::kNoSpace, "model.safetensors: cannot be written",
               [&] { write_model_folder(folder / "saved", model); });
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_text(folder / "saved/model.safetensors"), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()),
            1);
}

}  // namespace
}  // namespace contrastive::io
