#include "core/mining/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "core/base/rng.h"
#include "core/retrieval/top_k.h"
#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::mining {
namespace {

// Rows long enough for several blocks; the text of each document is its number.
TEST(Candidates, BlocksOfDocumentsGiveWhatOneSearchGives) {
  const int64_t n = 1100, d = 1 << 15, queries = 3;  // a block has 512 documents
  std::vector<float> vectors(static_cast<size_t>(n * d), 0.0f);
  Rng rng(3, Purpose::kInitialise);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < 8; ++j)
      vectors[static_cast<size_t>(i * d + j)] =
          static_cast<float>(rng.below(3));  // many equal scores
  }
  TextTable texts([](int64_t place) { return std::to_string(place); });
  for (int64_t i = 0; i < n; ++i) texts.add(std::to_string(i), i);
  const NamedEncoder encoder{
      {d,
       [&](const std::vector<std::string_view>& some, float* into) {
         for (const std::string_view text : some) {
           const float* row = &vectors[static_cast<size_t>(std::stoll(std::string(text)) * d)];
           into = std::copy(row, row + d, into);
         }
       }},
      "numbers"};
  const TemporaryFolder folder;
  VectorTable table(encoder, texts, open_vector_store(folder.path(), "numbers", d));
  table.embed("texts", nullptr);
  for (const int64_t k : {int64_t{1}, int64_t{20}, int64_t{700}, n + 5}) {
    const Candidates found =
        find_candidates(vectors.data(), queries, table, k, retrieval::Metric::kDot, nullptr);
    const int64_t width = std::min(k, n);
    std::vector<int64_t> documents(static_cast<size_t>(queries * width));
    std::vector<float> scores(documents.size());
    retrieval::TopKOptions options;
    options.metric = retrieval::Metric::kDot;
    options.k = width;
    retrieval::top_k(vectors.data(), queries, vectors.data(), n, d, options, documents.data(),
                     scores.data());
    EXPECT_EQ(found.per_query, width);
    EXPECT_EQ(found.documents, documents) << k;
    EXPECT_EQ(found.scores, scores) << k;
  }
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] {
    find_candidates(vectors.data(), queries, table, 5, retrieval::Metric::kDot, &cancel);
  });
}

TEST(Candidates, ABlockOfQueriesTakesBoundedMemory) {
  EXPECT_LE(queries_at_once(36, 384) * 384 * 4, int64_t{32} << 20);
  EXPECT_LE(queries_at_once(1000000, 384) * 1000000 * 12, int64_t{32} << 20);
  EXPECT_EQ(queries_at_once(int64_t{1} << 30, 384), 1);
}

}  // namespace
}  // namespace contrastive::mining
