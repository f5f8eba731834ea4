// The task "transfer": from files to the report.
#include "core/torch/tasks/transfer/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/rng.h"
#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

// Class 1 has more letters " a" than class 0; the rest of the text does not matter.
TransferData::Part letters_part(int64_t count, bool pairs, uint64_t seed) {
  TransferData::Part part;
  Rng rng(seed, Purpose::kSubset);
  const auto text = [&](bool extra) {
    std::string letters = extra ? "aaaaaa" : "a";
    for (int i = 0; i < 5; ++i) letters += static_cast<char>('b' + rng.below(4));
    return letters;
  };
  for (int64_t i = 0; i < count; ++i) {
    const bool positive = i < count / 3;
    part.labels.push_back(positive);
    part.first.push_back(text(positive && !pairs));
    if (pairs) part.second.push_back(text(!positive));  // equal counts of "a": positive
  }
  return part;
}

ProtocolOptions quick_protocol() {
  ProtocolOptions options;
  options.kfold = 3;
  options.fit.lr = 0.05;
  options.l2 = {1e-5, 1e-3};
  return options;
}

TEST(Transfer, LearnsEachKindOfTask) {
  for (const TransferProtocol protocol :
       {TransferProtocol::kNestedFolds, TransferProtocol::kFoldsOfTrain,
        TransferProtocol::kGivenDev}) {
    for (const bool pairs : {false, true}) {
      TransferData data{"made",
                        protocol,
                        pairs,
                        2,
                        letters_part(120, pairs, 1),
                        letters_part(40, pairs, 2),
                        letters_part(60, pairs, 3)};
      LetterEncoder encoder;
      if (protocol == TransferProtocol::kNestedFolds && pairs) continue;  // no such task
      const std::vector<TransferScore> scores =
          evaluate_transfer(data, encoder.encoder(), quick_protocol(), {1, 2}, nullptr);
      ASSERT_EQ(scores.size(), 2u);
      EXPECT_LE(encoder.encoded, (pairs ? 2 : 1) * 220) << "encoded once, not once a seed";
      for (const TransferScore& score : scores) {
        EXPECT_GT(score.test, 0.95);
        EXPECT_GT(score.dev, 0.95);
        if (pairs) {
          EXPECT_GT(score.f1, 0.9);
        }
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::eval
