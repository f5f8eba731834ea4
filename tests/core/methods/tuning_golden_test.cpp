// SG-OPT, SimCSE and MultipleNegativesRanking against plain PyTorch: sg_opt.py, simcse.py and mnrl.py.
#include "tests/core/optim/vectors.h"
#include "tests/golden/methods/golden_run.h"

namespace contrastive {
namespace {

TEST(SgOptGolden, EveryObjectiveTrainsAsPlainPyTorchDoes) {
  const Json golden = golden_file("sg_opt");
  ASSERT_EQ(golden.at("cases").size(), 7u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    expect_golden_run(golden.at("batches"), run, run.at("pairs").get<bool>(), false);
  }
}

TEST(SimCseGolden, PairsAndTripletsTrainAsPlainPyTorchDoes) {
  const Json golden = golden_file("simcse");
  ASSERT_EQ(golden.at("cases").size(), 3u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    expect_golden_run(golden.at("batches"), run, true, run.at("negatives").get<bool>());
  }
}

TEST(MultipleNegativesGolden, TheWholeModelTrainsAsPlainPyTorchDoes) {
  const Json golden = golden_file("mnrl");
  ASSERT_EQ(golden.at("cases").size(), 4u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    if (run.contains("dense")) start->set_dense({{matrix_of(run.at("dense").at("weight")), vector_of(run.at("dense").at("bias")), "tanh"}});
    expect_golden_run(golden.at("batches"), run, true, run.at("negatives").get<bool>(), start);
  }
}

}  // namespace
}  // namespace contrastive
