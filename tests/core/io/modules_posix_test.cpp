// Symbolic links in a folder of modules.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/io/modules.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::write_text;
using testing::ElementsAre;

ModuleList read(const std::string& folder) {
  std::vector<std::string> notes;
  return read_modules(folder, notes);
}

// A list of a Transformer and a Pooling in the folder `path`.
std::string modules_json(const std::string& path) {
  const std::string type = R"(","type":"sentence_transformers.models.)";
  return R"([{"idx":0,"name":"0","path":")" + type + R"(Transformer"},)" +
         R"({"idx":1,"name":"1","path":")" + path + type + R"(Pooling"}])";
}

TEST(Modules, APathThroughALinkOutOfTheFolderIsRefused) {
  const TemporaryFolder outside, folder;
  write_text(outside / "config.json", R"({"pooling_mode":"mean"})");
  ASSERT_EQ(::symlink(outside.path().c_str(), (folder / "link").c_str()), 0);
  write_text(folder / "modules.json", modules_json("link"));
  expect_error(Status::kFormat, "through a symbolic link", [&] { read(folder.path()); });
}

TEST(Modules, AFileThatIsALinkIsReadAsDownloadCachesLayItOut) {
  const TemporaryFolder folder;
  write_text(folder / "blobs/abc", R"({"pooling_mode":"max"})");
  std::filesystem::create_directories(folder / "snapshot/1_Pooling");
  ASSERT_EQ(::symlink("../../blobs/abc", (folder / "snapshot/1_Pooling/config.json").c_str()), 0);
  write_text(folder / "snapshot/modules.json", modules_json("1_Pooling"));
  EXPECT_THAT(read(folder / "snapshot").pooling.poolings, ElementsAre("max"));
}

}  // namespace
}  // namespace contrastive::io
