// What the card of a trained model states about its run.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/sha256.h"
#include "core/data/dataset.h"
#include "core/torch/run/dev_set.h"
#include "tests/core/io/simple_yaml.h"
#include "tests/core/torch/run/toy.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::run {
namespace {

using test::parse_header;
using ::testing::HasSubstr;
using ::testing::Not;

std::string read_card(const std::string& folder) {
  std::ifstream file(folder + "/README.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TrainingCard : public ::testing::Test {
 protected:
  TrainingCard() {
    for (int i = 0; i < 40; ++i) {
      const std::string n = std::to_string(i);
      pairs_ += "cat " + n + "\tthe cat " + n + "\n";
      sts_ += std::to_string(i % 6) + "\tthe cat " + n + "\tcat " + std::to_string(i % 5) + "\n";
    }
    folder_.write("pairs.tsv", pairs_);
    folder_.write("sts-dev.tsv", sts_);
  }

  std::unique_ptr<TrainingRun> trainer(const std::string& more = "{}",
                                       const std::string& method = "mnrl") {
    const Config config = toy_config(more, method);
    return std::make_unique<TrainingRun>(tiny_model(),
                                         data::open_dataset(folder_ / "pairs.tsv", Config()),
                                         config);
  }
  std::string with_dev(const std::string& more = "", int steps = 6) const {
    return R"({"max_steps": )" + std::to_string(steps) + R"(, "eval_every": 2, "dev": ")" +
           (folder_ / "sts-dev.tsv") + "\"" + more + "}";
  }
  std::string card_of(const TrainingRun& trainer, bool best) {
    if (best) trainer.save_best(folder_ / "best");
    else trainer.save(folder_ / "last");
    return read_card(folder_ / (best ? "best" : "last"));
  }

  TemporaryFolder folder_;
  std::string pairs_, sts_;
};

void run_to_end(TrainingRun& trainer) {
  while (trainer.step() == Status::kOk) {
  }
}

TEST_F(TrainingCard, TheHeaderHasOnlyFiguresThatTheFolderGivesAgain) {
  for (const auto& [more, shown] :
       {std::pair("", true), std::pair(R"(, "mnrl.max_length": 5)", false)}) {
    SCOPED_TRACE(more);
    const auto run = trainer(with_dev(more));
    run_to_end(*run);
    const std::string card = card_of(*run, false);
    EXPECT_EQ(card.find("model-index:") != std::string::npos, shown);
    EXPECT_THAT(card, HasSubstr("| dev (spearman) |"));
  }
}

TEST_F(TrainingCard, SaysMethodDataConfigAndScores) {
  const auto run = trainer(with_dev(
      R"(, "card.license": "mit", "card.language": ["en"], "card.title": "Cats", "card.description": "For cats.",
                                        "card.datasets": ["owner/cats"], "card.base_model": "owner/base", "seed": 3)"));
  run_to_end(*run);
  const std::string text = card_of(*run, true);
  const Json header = parse_header(text);
  EXPECT_EQ(header["license"], "mit");
  EXPECT_EQ(header["base_model"], "owner/base");
  EXPECT_THAT(header["tags"].dump(), HasSubstr("loss:MultipleNegativesRankingLoss"));
  EXPECT_THAT(header["tags"].dump(), HasSubstr("dataset_size:40"));
  EXPECT_EQ(header["metrics"], Json::array({"spearman_cosine"}));
  const Json& result = header["model-index"][0]["results"][0];
  EXPECT_EQ(result["dataset"]["type"], "sts-dev");
  EXPECT_NEAR(result["metrics"][0]["value"].get<double>(), run->metric("best_dev"), 1e-6);
  const auto best_step = static_cast<int>(run->metric("best_step"));
  for (const std::string& part :
       {std::string("# Cats\n\nFor cats.\n"),
        std::string("`pairs.tsv`, 40 pairs of texts; SHA-256 of the file `") + sha256_hex(pairs_) +
            "`",
        "- **Weights:** the best on `dev`, after update " + std::to_string(best_step) + " of 6",
        std::string("- **Batch:** 8 examples"), std::string("- **scale:** 20.0"),
        std::string("- **Optimizer:** adamw, learning rate 0.01, schedule warmup-linear"),
        std::string("- **Seed:** 3"), std::string("- **Began with:** `owner/base`"),
        std::string("\"dev\": \"sts-dev.tsv\""), std::string("henderson2017efficient"),
        std::string("| dev (spearman) | ")}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(TrainingCard, SaysAtWhichDimensionsTheVectorsMayBeCut) {
  const auto run = trainer(with_dev(R"(, "matryoshka.dims": [32, 16, 8])"));
  run_to_end(*run);
  const std::string card = card_of(*run, false);
  for (const char* part :
       {"- **Dimensions:** the vectors were trained at 32, 16, 8 dimensions", "loss:MatryoshkaLoss",
        "henderson2017efficient", "kusupati2022matryoshka", "| dev (spearman) |",
        "| dev.16 (spearman) |", "| dev.8 (spearman) |"}) {
    EXPECT_THAT(card, HasSubstr(part));
  }
  EXPECT_THAT(card, Not(HasSubstr("dev.32")));
  // The dev score at a dimension is that of the saved model with truncated vectors.
  const auto saved = model::SentenceEncoder::load(folder_ / "last");
  const auto dev = open_dev_set(folder_ / "sts-dev.tsv", DevTask::kAuto);
  for (const int64_t dimension : {32, 16, 8}) {
    model::EncodeOptions options;
    options.truncate_dim = dimension;
    const auto encode = [&](const std::vector<std::string_view>& texts, float* out) {
      saved->encode(texts, options, out);
    };
    EXPECT_NEAR(run->metric(dimension == 32 ? "dev" : cat("dev.", dimension)),
                dev->score(eval::TextEncoder{dimension, encode}), 1e-6)
        << dimension;
  }
  EXPECT_THAT(card_of(*trainer(with_dev()), false), Not(HasSubstr("Dimensions")));
}

TEST_F(TrainingCard, SaysWhereThePapersFiguresAreOfAnotherPooling) {
  const auto card = [&](const std::string& more) {
    const auto run = trainer(R"({"max_steps": 4)" + more + "}", "consert");
    run_to_end(*run);
    return card_of(*run, false);
  };
  const char* remark = "\nAgainst the paper: the model that is handed out pools as it was trained; "
                       "the figures of ConSERT's paper take last2";
  const std::string text = card("");
  EXPECT_THAT(text, HasSubstr(remark));
  EXPECT_THAT(text, HasSubstr("consert.eval\\_pooling"));
  for (const char* more :
       {R"(, "consert.eval_pooling": "last2")", R"(, "matryoshka.dims": [16])"}) {
    EXPECT_EQ(card(more).find(remark) == std::string::npos,
              std::string(more).find("last2") != std::string::npos)
        << more;
  }
}

TEST_F(TrainingCard, NothingOfTheMachineIsInIt) {
  const auto run = trainer(with_dev(R"(, "metrics_file": ")" + (folder_ / "metrics.jsonl") +
                                    R"(", "checkpoints": ")" + (folder_ / "kept") +
                                    R"(", "x-host": "build-host-7", "evaluate.sts.data": ")" +
                                    (folder_ / "sts-dev.tsv") + "\""));
  run_to_end(*run);
  for (const bool best : {false, true}) {
    const std::string text = card_of(*run, best);
    EXPECT_THAT(text, Not(HasSubstr(folder_.path())));
    EXPECT_THAT(text, Not(HasSubstr(fixtures())));
    EXPECT_THAT(text, Not(HasSubstr("build-host-7")));
    EXPECT_THAT(text, Not(HasSubstr("metrics_file")));
    EXPECT_THAT(text, Not(HasSubstr("checkpoints")));
    EXPECT_THAT(text, HasSubstr("\"evaluate.sts.data\": \"sts-dev.tsv\""));
    EXPECT_THAT(text, HasSubstr("sts.spearman.all"));
  }
}

TEST_F(TrainingCard, TheLastWeightsHaveTheLastScores) {
  const auto run = trainer(with_dev());
  for (int i = 0; i < 3; ++i) run->step();
  EXPECT_THAT(card_of(*run, false),
              HasSubstr("Nothing was measured on these weights"));  // the weights of update 2 were
  // measured, and these are of update 3
  EXPECT_FALSE(parse_header(card_of(*run, false)).contains("model-index"));
  run_to_end(*run);
  const std::string text = card_of(*run, false);
  EXPECT_THAT(text, HasSubstr("- **Weights:** the last, after update 6 of 6"));
  EXPECT_NEAR(
      parse_header(text)["model-index"][0]["results"][0]["metrics"][0]["value"].get<double>(),
      run->metric("dev"), 1e-6);
}

TEST_F(TrainingCard, ARunThatEndedEarlySaysSo) {
  const auto run = trainer(with_dev(R"(, "patience": 1, "lr": 1e-9)", 20));
  run_to_end(*run);
  ASSERT_LT(run->metric("step"), 20);
  EXPECT_THAT(card_of(*run, true), HasSubstr("after 1 evaluations without success"));
}

TEST_F(TrainingCard, IsTheSameBytesAfterAResume) {
  const std::string keys =
      with_dev(R"(, "evaluate.sts.data": ")" + (folder_ / "sts-dev.tsv") + "\"", 9);
  for (const int pause : {1, 4, 5, 9}) {
    const auto whole = trainer(keys);
    for (int i = 0; i < pause; ++i) whole->step();
    whole->save(folder_ / "paused");
    const auto resumed =
        TrainingRun::resume(folder_ / "paused", tiny_model(),
                            data::open_dataset(folder_ / "pairs.tsv", Config()), {});
    for (int round = 0; round < 2; ++round) {
      for (const bool best : {false, true}) {
        const std::string expected = card_of(*whole, best);
        EXPECT_EQ(card_of(*resumed, best), expected) << pause << (best ? " best" : " last");
      }
      run_to_end(*whole);
      run_to_end(*resumed);
    }
  }
}

TEST_F(TrainingCard, HostileNamesStayNames) {
  const std::string evil = folder_ / "`a`\"\n---\n<b>.tsv";
  folder_.write("`a`\"\n---\n<b>.tsv", pairs_);
  Config config = toy_config(R"({"max_steps": 2})", "mnrl");
  config.set_json("card.title", "x\n---\n# <i>owned</i>");
  config.set_json("dev", evil);
  TrainingRun run(tiny_model(), data::open_dataset(evil, Config()), config);
  run_to_end(run);
  const std::string text = card_of(run, true);
  EXPECT_EQ(parse_header(text)["model-index"][0]["name"], "x --- # <i>owned</i>");
  EXPECT_THAT(text, HasSubstr("# x --- \\# \\<i\\>owned\\</i\\>\n"));
  EXPECT_THAT(text, HasSubstr("`` `a`\" --- <b>.tsv ``, 40 pairs"));
}

TEST_F(TrainingCard, AModelThatIsHandedOutTakesItsCardAlong) {
  const auto run = trainer(R"({"max_steps": 2})");
  run_to_end(*run);
  run->trained(false)->save(folder_ / "handed");
  const std::string text = read_card(folder_ / "handed");
  EXPECT_EQ(text, card_of(*run, false));
  // After loading and saving again the card is the same; with another pooling it is another model.
  model::SentenceEncoder::load(folder_ / "handed")->save(folder_ / "copy");
  EXPECT_EQ(read_card(folder_ / "copy"), text);
  model::LoadOptions other;
  other.pooling = "cls";
  model::SentenceEncoder::load(folder_ / "handed", other)->save(folder_ / "changed");
  EXPECT_THAT(read_card(folder_ / "changed"), HasSubstr("has not trained the model"));
}

TEST_F(TrainingCard, ASavedRunKeepsWhatAPersonWrote) {
  const auto run = trainer(R"({"max_steps": 2})");
  run->step();
  run->save(folder_ / "last");
  folder_.write("last/README.md", "# Mine\n");
  run->step();
  run->save(folder_ / "last");
  EXPECT_THAT(read_card(folder_ / "last"), HasSubstr("after update 2 of 2"));
  std::ifstream kept(folder_ / "last/README.before.md");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "# Mine\n");
}

TEST_F(TrainingCard, ABaseModelInAHubsCacheIsKnown) {
  const std::string cached = folder_ / "models--owner--little-cats/snapshots/0123abcd";
  std::filesystem::create_directories(cached);
  std::filesystem::copy(fixtures() + "/models/bert_st", cached,
                        std::filesystem::copy_options::recursive);
  TrainingRun run(model::SentenceEncoder::load(cached), toy_pairs(20),
                  toy_config(R"({"max_steps": 2})"));
  run.step();
  const Json header = parse_header(card_of(run, false));
  EXPECT_EQ(header["base_model"], "owner/little-cats");
}

TEST_F(TrainingCard, BatchesOfTheCallerAreNamedAsSuch) {
  TrainingRun run(tiny_model(), nullptr, toy_config(R"({"max_steps": 2})"));
  const auto data = toy_pairs(8);
  std::vector<data::Example> batch;
  for (int64_t i = 0; i < 8; ++i) batch.push_back(data->get(i));
  run.step_batch(batch);
  EXPECT_THAT(card_of(run, false), HasSubstr("- **Data:** batches of the program that trained it"));
}

}  // namespace
}  // namespace contrastive::run
