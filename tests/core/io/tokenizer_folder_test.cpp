#include "core/io/tokenizer_folder.h"

#include <sys/stat.h>

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
    std::filesystem::resize_file(folder / name,
                                 int64_t{1}
                                     << 40);  // sparse: the size is checked before anything is read
    expect_refused(folder, Status::kLimit,
                   std::string(name) + ": 1099511627776 bytes, above the limit of");
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
  ASSERT_EQ(::mkfifo((folder / "tokenizer.json").c_str(), 0600), 0);
  // It does not wait for a writer.
  expect_refused(folder, Status::kArgument, "not a regular file");
}

}  // namespace
}  // namespace contrastive::io
