// CLSR, SG-OPT, SimCSE and the methods on pairs against plain PyTorch: the programs in
// tests/golden/methods with their names.
#include "core/torch/tensors/tensors.h"
#include "core/model/cross_encoder.h"
#include "tests/core/torch/optim/vectors.h"
#include "tests/golden/methods/golden_run.h"
#include "tests/fixtures_folder.h"

namespace contrastive {
namespace {

TEST(ClsrGolden, TheNetworkTrainsAsPlainPyTorchDoes) {
  const Json golden = golden_file("clsr");
  ASSERT_EQ(golden.at("cases").size(), 5u);
  std::vector<std::string> texts;
  for (const Json& text : golden.at("batches").at(0).at("a"))
    texts.push_back(text.get<std::string>());
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    run::TrainingRun trainer(start, nullptr, golden_config(run));
    expect_golden_run("clsr", name, start, trainer, golden_batches(golden, true, false));
    const auto trained = trainer.trained(false);
    // The saved model's vectors of the first batch: the trained map is saved as Dense modules that
    // include the scaling of the input.
    model::EncodeOptions options;
    options.normalize = 0;
    const auto width = static_cast<size_t>(trained->dimension(options));
    ASSERT_EQ(width, run.at("vectors").at(0).size());
    std::vector<float> vectors(texts.size() * width);
    trained->encode({texts.begin(), texts.end()}, options, vectors.data());
    for (size_t i = 0; i < texts.size(); ++i) {
      for (size_t k = 0; k < width; ++k) {
        const double expected = run.at("vectors").at(i).at(k).get<double>();
        EXPECT_NEAR(vectors[i * width + k], expected, 1e-5 * std::max(1.0, std::fabs(expected)))
            << i << " " << k;
      }
    }
  }
}

TEST(SgOptGolden, EveryObjectiveTrainsAsPlainPyTorchDoes) {
  const Json golden = golden_file("sg_opt");
  ASSERT_EQ(golden.at("cases").size(), 7u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    run::TrainingRun trainer(start, nullptr, golden_config(run));
    expect_golden_run("sg_opt", name, start, trainer,
                      golden_batches(golden, run.at("pairs").get<bool>(), false));
  }
}

TEST(SimCseGolden, PairsTripletsAndDropoutTrainAsPlainPyTorchDoes) {
  const Json golden = golden_file("simcse");
  ASSERT_EQ(golden.at("cases").size(), 4u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    run::TrainingRun trainer(start, nullptr, golden_config(run));
    expect_golden_run("simcse", name, start, trainer,
                      golden_batches(golden, run.at("pairs").get<bool>(),
                                     run.at("negatives").get<bool>()));
  }
}

TEST(MultipleNegativesGolden, TheWholeModelTrainsAsPlainPyTorchDoes) {
  const Json golden = golden_file("mnrl");
  ASSERT_EQ(golden.at("cases").size(), 6u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    Config config = golden_config(run);
    if (const Json* guide = config.find("mnrl.guide"))
      config.set("mnrl.guide", fixtures() + "/models/" + guide->get<std::string>());
    if (run.contains("dense")) {
      const Json& dense = run.at("dense");
      start->set_dense({{tensors::from_torch(matrix_of(dense.at("weight"))),
                         tensors::from_torch(vector_of(dense.at("bias"))), "tanh"}});
    }
    run::TrainingRun trainer(start, nullptr, config);
    expect_golden_run("mnrl", name, start, trainer,
                      golden_batches(golden, true, run.at("negatives").get<bool>()));
  }
}

// A method on pairs whose runs start from the unchanged tiny model.
void expect_golden_runs(const std::string& method, size_t cases, bool negatives) {
  const Json golden = golden_file(method);
  ASSERT_EQ(golden.at("cases").size(), cases);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    run::TrainingRun trainer(start, nullptr, golden_config(run));
    expect_golden_run(method, name, start, trainer, golden_batches(golden, true, negatives));
  }
}

TEST(ScoredGolden, EveryLossTrainsAsPlainPyTorchDoes) { expect_golden_runs("scored", 3, false); }
TEST(TripletGolden, EveryDistanceTrainsAsPlainPyTorchDoes) {
  expect_golden_runs("triplet", 3, true);
}

// The teacher's folder of a run; the golden file has only the last one or two parts of its path.
Config with_teacher(Config config) {
  const Json* teacher = config.find("distill.teacher");
  if (teacher == nullptr) return config;
  const std::string name = teacher->get<std::string>();
  config.set("distill.teacher",
             fixtures() + (name.find('/') == std::string::npos ? "/models/" : "/") + name);
  return config;
}

TEST(DistillGolden, EveryLossAndTeacherTrainsAsPlainPyTorchDoes) {
  const Json golden = golden_file("distill");
  ASSERT_EQ(golden.at("cases").size(), 7u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    run::TrainingRun trainer(start, nullptr, with_teacher(golden_config(run)));
    expect_golden_run("distill", name, start, trainer,
                      golden_batches(golden, run.at("pairs").get<bool>(),
                                     run.at("negatives").get<bool>()));
  }
}

TEST(MatryoshkaGolden, CutVectorsTrainAsPlainPyTorchDoes) {
  const Json golden = golden_file("matryoshka");
  ASSERT_EQ(golden.at("cases").size(), 3u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    run::TrainingRun trainer(start, nullptr, with_teacher(golden_config(run)));
    expect_golden_run("matryoshka", name, start, trainer,
                      golden_batches(golden, true, run.at("method") != "distill"));
  }
}

TEST(TsdaeGolden, TheDecoderTrainsAsTransformersDoes) {
  const Json golden = golden_file("tsdae");
  ASSERT_EQ(golden.at("cases").size(), 3u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start = tiny_model();
    run::TrainingRun trainer(start, nullptr, golden_config(run));
    expect_golden_run("tsdae", name, start, trainer, golden_batches(golden, false, false));
  }
}

// The first task's examples, and a file for each of the others.
std::shared_ptr<data::Dataset> golden_pairs(const Json& columns) {
  const auto pairs = data::make_dataset();
  for (size_t i = 0; i < columns.at("a").size(); ++i)
    pairs->add(
        {columns.at("a").at(i).get<std::string>(), columns.at("b").at(i).get<std::string>(), true});
  return pairs;
}

std::string golden_table(const Json& columns, const std::vector<std::string>& order) {
  std::string lines;
  for (size_t i = 0; i < columns.at("a").size(); ++i) {
    for (size_t k = 0; k < order.size(); ++k) {
      const Json& cell = columns.at(order[k]).at(i);
      lines += (k == 0 ? "" : "\t") + (cell.is_string() ? cell.get<std::string>() : cell.dump());
    }
    lines += "\n";
  }
  return lines;
}

TEST(TasksGolden, ThreeDataSetsInTurnTrainAsPlainPyTorchDoes) {
  const Json golden = golden_file("tasks");
  const Json &data = golden.at("data"), &run = golden.at("cases").at("round_robin");
  const TemporaryFolder folder;
  Config config = golden_config(run);
  config.set("task2.dataset",
             folder.write("scored.tsv", golden_table(data.at("scored"), {"scores", "a", "b"})));
  config.set("task3.dataset", folder.write("triplets.tsv", golden_table(data.at("triplets"),
                                                                        {"a", "b", "negatives"})));
  const auto start = tiny_model();
  run::TrainingRun trainer(start, golden_pairs(data.at("pairs")), config);
  ASSERT_EQ(run.at("losses").size(), 21u);
  for (const Json& expected : run.at("losses")) {
    ASSERT_EQ(trainer.step(), Status::kOk);
    EXPECT_NEAR(trainer.metric("loss"), expected.get<double>(), 1e-5 * expected.get<double>())
        << "update " << trainer.metric("step");
  }
  EXPECT_EQ(trainer.step(), Status::kDone);
  const tensors::TorchTensorMap weights = weights_of(trainer);
  expect_golden_weights("tasks", "round_robin", weights);
  expect_delivered(*trainer.trained(false), *start, weights);
}

TEST(RerankerGolden, EveryLossTrainsAsPlainPyTorchDoes) {
  const Json golden = golden_file("reranker");
  ASSERT_EQ(golden.at("cases").size(), 7u);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    const auto start =
        model::CrossEncoder::load(fixtures() + "/rerankers/" + run.at("folder").get<std::string>(),
                                  on_test_device());
    run::TrainingRun trainer(start, nullptr, golden_config(run));
    Json batches = golden;
    if (name == "classes") batches["batches"] = golden.at("classes");
    auto examples = golden_batches(batches, true, name != "classes");
    const bool taught =
        name == "listnet" || name == "distillation" || name == "margin-distillation";
    for (auto& batch : examples) {
      for (data::Example& example : batch) {
        if (!taught) example.scores.clear();
      }
    }
    expect_golden_run("reranker", name, start, trainer, examples);
  }
}

}  // namespace
}  // namespace contrastive
