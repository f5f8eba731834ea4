#include "core/io/tokenizer_folder.h"

#include <filesystem>
#include <string>

#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/core/io/tokenizer_folders.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::expect_refused;
using test::kFixtures;
using test::kVocab;
using test::write_text;

TEST(TokenizerFiles, OversizedFilesAreRefusedUnread) {
  for (const char* name : {"tokenizer.json", "vocab.txt", "vocab.json", "merges.txt",
                           "tokenizer_config.json", "special_tokens_map.json"}) {
    const TemporaryFolder folder;
    const bool bytes = std::string(name) == "vocab.json" || std::string(name) == "merges.txt";
    if (bytes) std::filesystem::copy(kFixtures + "byte_bpe.vocab.json", folder / "vocab.json");
    write_text(folder / (bytes ? "merges.txt" : "vocab.txt"), bytes ? "#version: 0.2\n" : kVocab);
    if (!std::filesystem::exists(folder / name)) write_text(folder / name, "{}");
    // The size is checked before anything is read.
    std::filesystem::resize_file(folder / name, int64_t{1} << 30);
    expect_refused(folder, Status::kLimit,
                   std::string(name) + ": 1073741824 bytes, above the limit of");
  }
}

TEST(TokenizerFiles, FoldersThatAreNone) {
  const TemporaryFolder folder;
  expect_refused(folder, Status::kNotFound,
                 "tokenizer.json, vocab.txt, vocab.json with merges.txt, sentencepiece.bpe.model, "
                 "spiece.model or tokenizer.model is needed");
  expect_error(Status::kNotFound, "no such folder", [&] { load_tokenizer(folder / "absent"); });
  write_text(folder / "file", "x");
  expect_error(Status::kArgument, "not a folder", [&] { load_tokenizer(folder / "file"); });
}

}  // namespace
}  // namespace contrastive::io
