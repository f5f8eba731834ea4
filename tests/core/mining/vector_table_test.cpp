#include "core/mining/vector_table.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::mining {
namespace {

struct Texts {
  TableEncoder model{half_circle(9000), "model", 0, -1};
  NamedEncoder encoder = model.encoder().documents;
  TextTable table{[](int64_t place) { return "d" + std::to_string(place); }};

  explicit Texts(int64_t count) {
    for (int64_t i = 0; i < count; ++i) table.add(table_text(i), i);
  }
  static std::string table_text(int64_t i) { return "d" + std::to_string(i); }
};

TEST(VectorTable, GoesOnWithWhatARunBeforeHadEmbedded) {
  const TemporaryFolder folder;
  Texts texts(9000);
  texts.model.stop = 6000;  // in the middle of its second 4,096
  {
    VectorTable table(texts.encoder, texts.table, open_vector_store(folder.path(), "model", 2));
    expect_error(Status::kCancelled, "cancelled", [&] { table.embed("texts", nullptr); });
  }
  texts.model.stop = -1;
  VectorTable table(texts.encoder, texts.table, open_vector_store(folder.path(), "model", 2));
  table.embed("texts", nullptr);
  EXPECT_EQ(table.embedded(), 9000 - 4096);
  table.embed("texts", nullptr);
  EXPECT_EQ(table.embedded(), 9000 - 4096);
  std::vector<float> all(2 * 9000), some(4);
  table.copy(0, 9000, all.data());
  table.copy({8999, 17}, some.data());
  for (const int64_t i : {0, 17, 4095, 4096, 8999}) {
    const std::vector<float>& wanted = texts.model.vectors[Texts::table_text(i)];
    EXPECT_NEAR(all[static_cast<size_t>(2 * i)], wanted[0], 1e-6) << i;
    EXPECT_NEAR(all[static_cast<size_t>(2 * i + 1)], wanted[1], 1e-6) << i;
  }
  EXPECT_EQ(some[0], all[2 * 8999]);
  EXPECT_EQ(some[3], all[2 * 17 + 1]);
}

TEST(VectorTable, AnotherModelAnotherPromptAndAnotherTextAreEmbeddedAnew) {
  const TemporaryFolder folder;
  Texts texts(10);
  const auto embedded = [&](const std::string& identity, const std::string& prompt) {
    texts.encoder.identity = identity + prompt;
    VectorTable table(texts.encoder, texts.table, open_vector_store(folder.path(), identity, 2));
    table.embed({1, 2, 3}, "texts", nullptr);
    return table.embedded();
  };
  EXPECT_EQ(embedded("one", ""), 3);
  EXPECT_EQ(embedded("one", ""), 0);
  EXPECT_EQ(embedded("one", "query: "), 3);
  EXPECT_EQ(embedded("two", ""), 3);
  remove_vector_stores(folder.path());
  EXPECT_FALSE(path_exists(folder.path()));
}

TEST(VectorTable, ReadsFewLongTextsAtATime) {
  const TemporaryFolder folder;
  constexpr int64_t kLength = 1 << 20;
  const auto long_text = [](int64_t place) {
    return std::to_string(place) + std::string(kLength, 'x');
  };
  TextTable table(long_text);
  for (int64_t i = 0; i < 40; ++i) table.add(long_text(i), i);
  size_t most = 0;
  int64_t count = 0;
  const NamedEncoder encoder{{1,
                              [&](const std::vector<std::string_view>& texts, float* into) {
                                size_t bytes = 0;
                                for (const std::string_view text : texts) bytes += text.size();
                                most = std::max(most, bytes);
                                count += static_cast<int64_t>(texts.size());
                                std::fill_n(into, texts.size(), 1.0f);
                              }},
                             "model"};
  VectorTable vectors(encoder, table, open_vector_store(folder.path(), "model", 1));
  vectors.embed("texts", nullptr);
  EXPECT_EQ(count, 40);
  EXPECT_EQ(vectors.embedded(), 40);
  EXPECT_LT(most, size_t{18} << 20) << "of 40 MiB";
}

TEST(VectorTable, ATextThatCannotBeEmbeddedIsShown) {
  const TemporaryFolder folder;
  const Texts texts(5000);
  const NamedEncoder encoder{{1,
                              [](const std::vector<std::string_view>& block, float*) {
                                for (size_t i = 0; i < block.size(); ++i)
                                  check(block[i] != "d4321", Status::kNumeric, "texts[", i,
                                        "]: its vector is not finite");
                              }},
                             "model"};
  VectorTable table(encoder, texts.table, open_vector_store(folder.path(), "model", 1));
  const std::string message =
      expect_error(Status::kNumeric, "the text 'd4321': its vector is not finite",
                   [&] { table.embed("texts", nullptr); });
  EXPECT_EQ(message, "mining: the text 'd4321': its vector is not finite");
}

TEST(VectorTable, ScoresAnyNumberOfItsVectors) {
  const TemporaryFolder folder;
  Texts texts(9000);
  VectorTable table(texts.encoder, texts.table, open_vector_store(folder.path(), "model", 2));
  table.embed("texts", nullptr);
  std::vector<int64_t> numbers;
  for (int64_t i = 8999; i >= 0; --i) numbers.push_back(i);
  std::vector<float> query(2), all(2 * 9000), scores(9000), wanted(9000);
  table.copy({17}, query.data());
  table.copy(numbers, all.data());
  table.score(query.data(), numbers, retrieval::Metric::kCosine, scores.data());
  retrieval::similarity(query.data(), 1, all.data(), 9000, 2, retrieval::Metric::kCosine,
                        wanted.data());
  EXPECT_EQ(scores, wanted);
  table.score(query.data(), {}, retrieval::Metric::kCosine, nullptr);
}

TEST(VectorTable, RemovesItsOwnFilesOnly) {
  const TemporaryFolder folder;
  Texts texts(3);
  open_vector_store(folder / "work", "model", 2);
  folder.write("work/notes.txt", "mine");
  remove_vector_stores(folder / "work");
  EXPECT_TRUE(path_exists(folder / "work/notes.txt"));
  const auto entries = open_entries(folder / "work");
  EXPECT_STREQ(next_entry(entries.get(), "work"), "notes.txt");
  EXPECT_EQ(next_entry(entries.get(), "work"), nullptr);
  remove_vector_stores(folder / "nothing");  // harmless
}

}  // namespace
}  // namespace contrastive::mining
