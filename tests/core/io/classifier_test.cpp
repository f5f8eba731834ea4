// What config.json states about a reranker's head.
#include "core/io/classifier.h"

#include "core/io/hf_config.h"
#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

using test::edit;

const std::string kRerankers = fixtures() + "/rerankers/";

Classifier classifier_of(Json config, const std::string& family = "bert") {
  if (config.is_null()) config = Json::object();
  encoder::Architecture architecture;
  architecture.family = family;
  return read_classifier(config, "config.json", architecture);
}

TEST(Classifier, LabelsComeFromId2label) {
  EXPECT_EQ(classifier_of({{"id2label", {{"0", "no"}, {"1", "yes"}}}}).labels,
            (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(classifier_of({{"id2label", {{"1", "yes"}, {"0", "no"}}}}).labels,
            (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(classifier_of({{"num_labels", 3}}).labels,
            (std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"}));
  EXPECT_EQ(classifier_of(Json::object()).labels.size(),
            2U);  // transformers' default, which it leaves out of the file
  expect_error(Status::kFormat, "none for 1",
               [] { classifier_of({{"id2label", {{"0", "no"}, {"2", "yes"}}}}); });
  expect_error(Status::kFormat, "at least one label",
               [] { classifier_of({{"id2label", Json::object()}}); });
  expect_error(Status::kFormat, "num_labels", [] { classifier_of({{"num_labels", 0}}); });
}

TEST(Classifier, TheActivationOfTheNewestKeyHolds) {
  const Json one = {{"num_labels", 1}};
  EXPECT_EQ(classifier_of(one).activation, "sigmoid");
  EXPECT_EQ(classifier_of({{"num_labels", 3}}).activation, "identity");
  Json older = one;
  older["sbert_ce_default_activation_function"] = "torch.nn.modules.linear.Identity";
  EXPECT_EQ(classifier_of(older).activation, "identity");
  older["sentence_transformers"] = {{"version", "4.1.0"}};
  EXPECT_EQ(classifier_of(older).activation, "identity");
  older["sentence_transformers"]["activation_fn"] = "torch.nn.modules.activation.Tanh";
  EXPECT_EQ(classifier_of(older).activation, "tanh");
  older["sentence_transformers"]["activation_fn"] = "my_package.Own";
  expect_error(Status::kUnsupported, "my_package.Own", [&] { classifier_of(older); });
}

TEST(Classifier, WhatIsWrittenIsReadBack) {
  Classifier classifier = classifier_of({{"id2label", {{"0", "no"}, {"1", "yes"}}}});
  classifier.activation = "sigmoid";
  Json config = {{"num_labels", 7}};
  write_classifier(classifier, config);
  EXPECT_EQ(config.at("label2id"), (Json{{"no", 0}, {"yes", 1}}));
  EXPECT_EQ(config.at("num_labels"), 2);
  const Classifier back = classifier_of(config);
  EXPECT_EQ(back.labels, classifier.labels);
  EXPECT_EQ(back.activation, "sigmoid");
}

TEST(Classifier, FamiliesSayWhatTheirHeadsAre) {
  EXPECT_EQ(classifier_of({}, "bert").head.pooling, "cls-pooler");
  EXPECT_EQ(classifier_of({}, "roberta").head.activation, "tanh");
  EXPECT_EQ(classifier_of({}, "electra").head.activation, "gelu");
  EXPECT_EQ(classifier_of({}, "distilbert").head.activation, "relu");
  EXPECT_TRUE(classifier_of({}, "modernbert").head.norm);
  EXPECT_EQ(classifier_of({{"classifier_pooling", "mean"}}, "modernbert").head.pooling, "mean");
  expect_error(Status::kUnsupported, "classifier_pooling 'max'",
               [] { classifier_of({{"classifier_pooling", "max"}}, "modernbert"); });
  expect_error(Status::kUnsupported, "classifier_activation 'silu'",
               [] { classifier_of({{"classifier_activation", "silu"}}, "modernbert"); });
  expect_error(Status::kUnsupported, "no classification head of Qwen3",
               [] { classifier_of({}, "qwen3"); });
}

TEST(Classifier, HeadsDropAtTheKeyAndTheDefaultOfTheirFamily) {
  const auto rate = [](const Json& config, const char* family) {
    return classifier_of(config, family).head.dropout;
  };
  const Json stated = {{"classifier_dropout", 0.3}};
  EXPECT_EQ(std::tuple(rate(stated, "bert"), rate(stated, "roberta"), rate(stated, "electra"),
                       rate(stated, "modernbert")),
            std::tuple(0.3, 0.3, 0.3, 0.3));
  EXPECT_EQ(std::tuple(rate({}, "bert"), rate(stated, "mpnet")), std::tuple(-1.0, -1.0))
      << "the encoder's rate";
  EXPECT_EQ(std::tuple(rate({}, "albert"), rate({}, "distilbert"), rate({}, "modernbert")),
            std::tuple(0.1, 0.2, 0.0));
  EXPECT_EQ(rate({{"classifier_dropout_prob", 0.3}}, "albert"), 0.3);
  EXPECT_EQ(rate({{"seq_classif_dropout", 0.3}}, "distilbert"), 0.3);
}

ReadOptions as_reranker() {
  ReadOptions options;
  options.classifier = true;
  return options;
}

// transformers' ...ForSequenceClassification: whether it has dropout before the dense layer too,
// and at which rate.
TEST(ClassifierInAFolder, DropsWhereTransformersDrops) {
  struct Row {
    const char* folder;
    bool drops_first;
    double own_rate;  // below 0: the encoder's
  };
  for (const Row& row : std::vector<Row>{{"bert", false, -1},
                                         {"roberta", true, -1},
                                         {"xlm_roberta", true, -1},
                                         {"camembert", true, -1},
                                         {"electra", true, -1},
                                         {"mpnet", true, -1},
                                         {"albert", false, 0.1},
                                         {"distilbert", false, 0.2},
                                         {"modernbert", false, 0}}) {
    const encoder::ClassificationHead head =
        read_model_folder(kRerankers + row.folder, as_reranker()).classifier->head;
    EXPECT_EQ(head.drops_first, row.drops_first) << row.folder;
    EXPECT_EQ(head.dropout, row.own_rate) << row.folder;
  }
}

TEST(ClassifierInAFolder, MustHaveATensorForEachLabel) {
  const TemporaryFolder folder(kRerankers + "bert_labels");
  edit(folder / "config.json", "\"2\": \"neutral\"", "\"2\": \"neutral\", \"3\": \"other\"");
  expect_error(Status::kMismatch,
               "classifier.weight' is [3, 16] where config.json, with 4 labels, asks for [4, 16]",
               [&] { read_model_folder(folder.path(), as_reranker()); });
}

TEST(ClassifierInAFolder, IsIgnoredWhereASentenceEncoderIsRead) {
  const ModelFolder model = read_model_folder(kRerankers + "bert");
  EXPECT_EQ(model.classifier, nullptr);
  EXPECT_THAT(model.notes,
              testing::Contains(testing::HasSubstr("of a head were ignored: classifier.bias")));
  expect_error(Status::kUnsupported, "this is a reranker",
               [] { read_model_folder(kRerankers + "saved"); });
}

TEST(ClassifierInAFolder, AFolderSaysThatItIsAReranker) {
  for (const char* name : {"bert", "saved", "old", "modernbert_mean"})
    EXPECT_TRUE(is_reranker_folder(kRerankers + name)) << name;
  for (const char* name : {"/models/bert_st", "/models/roberta_hf", "/families/bert", "/nothing"}) {
    EXPECT_FALSE(is_reranker_folder(fixtures() + name)) << name;
  }
  const TemporaryFolder folder(kRerankers + "bert");
  folder.write("modules.json", "[]");
  EXPECT_FALSE(is_reranker_folder(folder.path())) << "the modules show the kind";
  folder.write("config_sentence_transformers.json", R"({"model_type": "CrossEncoder"})");
  EXPECT_TRUE(is_reranker_folder(folder.path()));
  folder.write("config_sentence_transformers.json", "no JSON");
  EXPECT_FALSE(is_reranker_folder(folder.path())) << "loading reports the error";
}

TEST(ClassifierInAFolder, TheActivationOfSentenceTransformersOwnFileHolds) {
  const TemporaryFolder folder(kRerankers + "saved");
  EXPECT_EQ(read_model_folder(folder.path(), as_reranker()).classifier->activation, "sigmoid");
  edit(folder / "config_sentence_transformers.json", "activation.Sigmoid", "linear.Identity");
  expect_error(Status::kUnsupported, "linear.Identity", [&] {
    edit(folder / "config_sentence_transformers.json", "torch.nn.modules.linear.Identity",
         "linear.Identity");
    read_model_folder(folder.path(), as_reranker());
  });
  edit(folder / "config_sentence_transformers.json", "linear.Identity",
       "torch.nn.modules.linear.Identity");
  EXPECT_EQ(read_model_folder(folder.path(), as_reranker()).classifier->activation, "identity");
}

TEST(ClassifierInAFolder, HasACardThatSaysHowItIsLoaded) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kRerankers + "bert_labels", as_reranker());
  write_model_folder(folder / "saved", model);
  const std::string card = test::read_text(folder / "saved/README.md");
  EXPECT_THAT(card, testing::HasSubstr("pipeline_tag: text-classification"));
  EXPECT_THAT(card, testing::HasSubstr("# Reranker"));
  EXPECT_THAT(card, testing::HasSubstr("CrossEncoder(\"path/to/this/folder\")"));
  EXPECT_TRUE(is_untouched_card(card));
}

}  // namespace
}  // namespace contrastive::io
