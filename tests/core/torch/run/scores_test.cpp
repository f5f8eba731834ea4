#include "core/torch/run/scores.h"
#include "tests/expect_error.h"

#include <cmath>

namespace contrastive::run {
namespace {

TEST(Scores, AreThoseOfOneUpdate) {
  Scores scores;
  EXPECT_EQ(scores.step(), -1);
  scores.add(3, {"dev", "spearman", "dev.tsv", 0.5});
  scores.add(3, {"sts.spearman.all", "spearman.all", "sts", 0.25});
  scores.add(3, {"dev", "spearman", "dev.tsv", 0.75});  // measured once more
  scores.add(3, {"sts.pearson.all", "pearson.all", "sts", std::nan("")});
  ASSERT_EQ(scores.all().size(), 2u);
  EXPECT_EQ(scores.all()[0].value, 0.75);
  scores.add(4, {"dev", "spearman", "dev.tsv", std::nan("")});
  EXPECT_EQ(scores.step(), 4);
  EXPECT_TRUE(scores.all().empty());
}

TEST(Scores, ComeBackFromASavedRun) {
  Scores scores, again;
  scores.add(7, {"dev", "mrr", "dev \"1\".tsv", 0.1});
  scores.add(7, {"retrieval.ndcg@10", "ndcg@10", "", 1.0 / 3});
  again.add(9, {"dev", "mrr", "", 1});
  again.restore(parse_json(scores.state().dump(), "state"));
  EXPECT_EQ(again.step(), 7);
  ASSERT_EQ(again.all().size(), 2u);
  EXPECT_EQ(again.all()[0].data, "dev \"1\".tsv");
  EXPECT_EQ(again.all()[1].value, 1.0 / 3);
  Scores none;
  none.restore(Scores().state());
  EXPECT_EQ(none.step(), -1);
}

TEST(Scores, AStateThatIsNoneIsRefused) {
  Scores scores;
  for (
      const char* text :
      {"[]", "{}", R"({"step": "3", "scores": []})", R"({"step": 3, "scores": [5]})",
       R"({"step": 3})",
       R"({"step": 3, "scores": [{"figure": "dev", "measure": "mrr", "data": "d", "value": "high"}]})"}) {
    expect_error(Status::kFormat, "scores", [&] { scores.restore(Json::parse(text)); });
  }
}

}  // namespace
}  // namespace contrastive::run
