#include "core/io/folder_snapshot.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/io/atomic_folder.h"
#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::write_text;

// A folder with two files of the same text.
class FolderSnapshot : public testing::Test {
 protected:
  FolderSnapshot() { save("old"); }
  void save(const std::string& text) const {
    std::thread([&] {
      AtomicFolder folder(path_, nullptr);
      for (const char* name : {"a", "b"}) folder.write_file(name, text);
      folder.commit();
    }).join();
  }
  // Reads both files, and calls `between` in between.
  template <class Between>
  std::string read(const Between& between) const {
    return read_snapshot(path_, [&] {
      const std::string a = read_file(path_ + "/a", 100);
      between();
      return a + " " + read_file(path_ + "/b", 100);
    });
  }

  TemporaryFolder root_;
  const std::string path_ = root_.path() + "/model";
  mutable int times_ = 0;
};

TEST_F(FolderSnapshot, ASaveBetweenTwoFilesIsReadAgain) {
  EXPECT_EQ(read([&] {
              if (times_++ == 0) save("new");
            }),
            "new new");
  EXPECT_EQ(times_, 2);
}

TEST_F(FolderSnapshot, TwoFoldersThatChangePlacesTwiceAreNotMixed) {
  const std::string other = root_.path() + "/other", third = root_.path() + "/third";
  for (const char* name : {"/a", "/b"}) write_text(other + name, "new");
  const auto exchange = [&] {
    std::filesystem::rename(path_, third);
    std::filesystem::rename(other, path_);
    std::filesystem::rename(third, other);
  };
  const std::string both = read_snapshot(path_, [&] {
    const std::string a = read_file(path_ + "/a", 100);
    exchange();
    const std::string b = read_file(path_ + "/b", 100);
    exchange();
    return a + " " + b;
  });
  EXPECT_EQ(both, "old old");
}

TEST_F(FolderSnapshot, AFolderThatIsAwayForAMomentIsWaitedFor) {
  const std::string away = root_.path() + "/away", link = root_.path() + "/link";
  std::vector<std::string> paths{path_};
  std::error_code error;  // on Windows a user may need a right to make links
  std::filesystem::create_symlink("model", link, error);
  if (error) std::cout << "not tested through a link: " << error.message() << "\n";
  else paths.push_back(link);
  write_text(root_.path() + "/.model.lock", "");
  for (const std::string& path : paths) {
    std::filesystem::rename(path_, away);
    std::thread saver([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::filesystem::rename(away, path_);
    });
    EXPECT_EQ(read_snapshot(path, [&] { return read_file(path + "/a", 100); }), "old");
    saver.join();
  }
}

TEST_F(FolderSnapshot, AnErrorCountsWhereNobodySaves) {
  const auto fails = [&](const std::string& path) {
    times_ = 0;
    expect_error(Status::kNotFound, "/c", [&] {
      read_snapshot(path, [&] {
        ++times_;
        return read_file(path + "/c", 100);
      });
    });
    EXPECT_EQ(times_, 1);
  };
  fails(path_);
  fails(root_.path() + "/absent");
}

TEST_F(FolderSnapshot, EndlessSavesAreBusy) {
  expect_error(Status::kBusy, path_ + ": was replaced 20 times",
               [&] { read([&] { save("new"); }); });
}

// The Dense module and the encoder are two files. The sign of all their numbers shows which save
// they are from.
TEST(ModelFolderSnapshot, AModelThatIsLoadedDuringSavesIsOfOneSave) {
  const TemporaryFolder root;
  const std::string path = root / "model";
  ModelFolder saved[] = {read_model_folder(kModels + "bert_st_old"),
                         read_model_folder(kModels + "bert_st_old")};
  for (auto& [name, tensor] : saved[1].weights) tensor = Tensor::filled(tensor.shape(), -1);
  for (DenseModule& dense : saved[1].dense) dense.weight = Tensor::filled(dense.weight.shape(), -1);
  write_model_folder(path, saved[0]);
  std::atomic<bool> over{false};
  std::atomic<int> saves{0};
  std::thread saver([&] {
    while (!over) write_model_folder(path, saved[++saves % 2]);
  });
  ReadOptions options;
  bool same = true;
  for (int loads = 0; same && (loads < 300 || saves < 20); ++loads) {
    options.memory_map = loads % 2 == 0;
    const ModelFolder model = read_model_folder(path, options);
    const bool second = model.dense.at(0).weight == saved[1].dense[0].weight;
    const ModelFolder& whole = saved[second ? 1 : 0];
    same = model.dense[0].weight == whole.dense[0].weight && model.weights == whole.weights &&
           model.tokenizer_files == whole.tokenizer_files;
  }
  over = true;
  saver.join();
  EXPECT_TRUE(same);
}

}  // namespace
}  // namespace contrastive::io
