#include "core/io/modules.h"

#include <string>
#include <utility>
#include <vector>

#include "core/base/rng.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::write_text;
using testing::ElementsAre;
using testing::HasSubstr;

ModuleList read(const std::string& folder) {
  std::vector<std::string> notes;
  return read_modules(folder, notes);
}

std::string entry(int index, const std::string& path, const std::string& type) {
  return R"({"idx":)" + std::to_string(index) + R"(,"name":")" + std::to_string(index) +
         R"(","path":")" + path + R"(","type":")" + type + "\"}";
}

// A folder of Transformer and the given modules.
void write_modules(const TemporaryFolder& folder,
                   const std::vector<std::pair<std::string, std::string>>& modules) {
  std::string list = "[" + entry(0, "", "sentence_transformers.models.Transformer");
  for (size_t i = 0; i < modules.size(); ++i) {
    list += "," + entry(static_cast<int>(i) + 1, modules[i].first,
                        "sentence_transformers.models." + modules[i].second);
  }
  write_text(folder / "modules.json", list + "]");
}

TEST(Modules, TodaysLayout) {
  const ModuleList modules = read(kModels + "bert_st");
  EXPECT_EQ(modules.transformer_folder, kModels + "bert_st");
  EXPECT_THAT(modules.pooling.poolings, ElementsAre("mean"));
  EXPECT_EQ(modules.pooling.width, 32);
  EXPECT_TRUE(modules.dense.empty());
  EXPECT_TRUE(modules.normalize);
}

PromptConfig read_prompts_of(const std::string& folder) {
  std::vector<std::string> notes;
  return read_prompt_config(folder, notes);
}

TEST(Modules, TheOldLayout) {
  const ModuleList modules = read(kModels + "bert_st_old");
  EXPECT_EQ(modules.transformer_folder, kModels + "bert_st_old/0_Transformer");
  EXPECT_THAT(modules.pooling.poolings, ElementsAre("cls", "mean"));
  ASSERT_EQ(modules.dense.size(), 1u);
  EXPECT_EQ(modules.dense[0].in_features, 32);
  EXPECT_EQ(modules.dense[0].out_features, 12);
  EXPECT_EQ(modules.dense[0].activation, "tanh");
  EXPECT_TRUE(modules.normalize);
  const PromptConfig prompts = read_prompts_of(kModels + "bert_st_old");
  EXPECT_EQ(prompts.prompts.at("query"), "the red: ");
  EXPECT_EQ(prompts.default_prompt_name, "query");
  EXPECT_EQ(prompts.similarity, "cosine");
}

TEST(Modules, APlainFolderStatesNoPooling) {
  std::vector<std::string> notes;
  EXPECT_TRUE(read_modules(kModels + "roberta_hf", notes).pooling.poolings.empty());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("states no pooling")));
}

TEST(Modules, PathsThatLeaveTheFolderAreRefused) {
  const TemporaryFolder folder;
  const std::pair<std::string, const char*> bad[] = {{"../../etc", "leaves"},
                                                     {"/etc", "is absolute"},
                                                     {"a/../../b", "leaves"},
                                                     {std::string(5000, 'a'), "5000 characters"},
                                                     {"a\\u0000b", "NUL"}};
  for (const auto& [path, message] : bad) {
    write_modules(folder, {{path, "Pooling"}});
    expect_error(Status::kFormat, message, [&] { read(folder.path()); });
  }
}

TEST(Modules, ForeignClassesAreNamedAndNothingIsRun) {
  for (const char* type :
       {"custom.Module", "custom.Pooling", "sentence_transformers.models.CNN", "os.system"}) {
    const TemporaryFolder folder;
    write_text(folder / "modules.json",
               "[" + entry(0, "", "sentence_transformers.models.Transformer") + "," +
                   entry(1, "1_Pooling", type) + "]");
    expect_error(Status::kUnsupported, type, [&] { read(folder.path()); });
  }
}

TEST(Modules, AnOrderThatMakesNoSentenceEmbeddingIsRefused) {
  const TemporaryFolder folder;
  write_text(folder / "p/config.json", R"({"pooling_mode":"mean"})");
  write_text(
      folder / "d/config.json",
      R"({"in_features":4,"out_features":4,"activation_function":"torch.nn.modules.linear.Identity"})");
  using Modules = std::vector<std::pair<std::string, std::string>>;
  for (const Modules& modules :
       {Modules{{"d", "Dense"}, {"p", "Pooling"}}, Modules{{"p", "Pooling"}, {"p", "Pooling"}},
        Modules{{"d", "Dense"}}, Modules{{"n", "Normalize"}, {"p", "Pooling"}}}) {
    write_modules(folder, modules);
    expect_error(Status::kUnsupported, "one Pooling is read, behind the Transformer",
                 [&] { read(folder.path()); });
  }
  write_modules(folder, {{"", "Transformer"}});
  expect_error(Status::kFormat, "module 1: one Transformer is needed",
               [&] { read(folder.path()); });
  write_modules(folder, {{"p", "Pooling"}, {"d", "Dense"}, {"d", "Dense"}, {"n", "Normalize"}});
  EXPECT_EQ(read(folder.path()).dense.size(), 2u);
}

TEST(Modules, NormalizeStandsAnywhereAndDropoutDoesNothing) {
  const TemporaryFolder folder;
  write_text(folder / "p/config.json", R"({"pooling_mode":"mean"})");
  write_text(folder / "d/config.json",
             R"({"in_features":4,"out_features":4,"activation_function":"torch.nn.Identity"})");
  write_modules(
      folder,
      {{"p", "Pooling"}, {"n", "Normalize"}, {"o", "Dropout"}, {"d", "Dense"}, {"d", "Dense"}});
  std::vector<std::string> notes;
  const ModuleList modules = read_modules(folder.path(), notes);
  ASSERT_EQ(modules.dense.size(), 2u);
  EXPECT_TRUE(modules.dense[0].normalizes);
  EXPECT_FALSE(modules.dense[1].normalizes);
  EXPECT_FALSE(modules.normalize);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("module 3 is a Dropout")));
}

TEST(Modules, AListThatIsNone) {
  const TemporaryFolder folder;
  for (const char* text : {"{}", "[]", "7", "[7]", R"([{"path":""}])"}) {
    write_text(folder / "modules.json", text);
    expect_error(Status::kFormat, "modules.json", [&] { read(folder.path()); });
  }
  write_modules(folder, {{"absent", "Pooling"}});
  expect_error(Status::kNotFound, "absent/config.json", [&] { read(folder.path()); });
}

TEST(Modules, DenseVariantsThatAreNotComputedAreRefused) {
  const std::pair<const char*, const char*> bad[] = {
      {R"({"in_features":4,"out_features":4,"activation_function":"torch.nn.modules.activation.Softmax"})",
       "activation_function"},
      {R"({"in_features":4,"out_features":4,"activation_function":"my.Tanh"})",
       "activation_function"},
      {R"({"in_features":4,"out_features":4,"use_residual":true})", "use_residual"},
      {R"({"in_features":4,"out_features":4,"module_input_name":"token_embeddings"})",
       "module_input_name"}};
  for (const auto& [config, message] : bad) {
    const TemporaryFolder folder;
    write_text(folder / "p/config.json", R"({"pooling_mode":"mean"})");
    write_text(folder / "d/config.json", config);
    write_modules(folder, {{"p", "Pooling"}, {"d", "Dense"}});
    expect_error(Status::kUnsupported, message, [&] { read(folder.path()); });
  }
  for (const std::string& name : dense_activations())
    EXPECT_EQ(activation_from_class(activation_to_class(name), "x"), name);
  EXPECT_EQ(activation_from_class("torch.nn.Tanh", "x"), "tanh");
}

TEST(Modules, PromptsAndSimilarity) {
  const TemporaryFolder folder;
  const auto read_prompts = [&](const char* json) {
    write_text(folder / "config_sentence_transformers.json", json);
    return read_prompts_of(folder.path());
  };
  EXPECT_EQ(read_prompts(R"({"similarity_fn_name":"dot_product"})").similarity, "dot");
  EXPECT_EQ(read_prompts(R"({"similarity_fn_name":null,"default_prompt_name":null})").similarity,
            "cosine");
  EXPECT_EQ(read_prompts(R"({"truncate_dim":256})").truncate_dim, 256);
  EXPECT_EQ(read_prompts(R"({"truncate_dim":null})").truncate_dim, 0);
  expect_error(Status::kUnsupported, "maxsim",
               [&] { read_prompts(R"({"similarity_fn_name":"maxsim"})"); });
  expect_error(Status::kUnsupported, "SparseEncoder",
               [&] { read_prompts(R"({"model_type":"SparseEncoder"})"); });
  expect_error(Status::kFormat, "default_prompt_name 'x' is not among the prompts",
               [&] { read_prompts(R"({"prompts":{"q":""},"default_prompt_name":"x"})"); });
  expect_error(Status::kFormat, "q must be a string",
               [&] { read_prompts(R"({"prompts":{"q":7}})"); });
}

TEST(Modules, MutatedFilesAreReadOrRefusedNeverWorse) {
  const TemporaryFolder folder(kModels + "bert_st_old");
  const char* const files[] = {"modules.json", "1_Pooling/config.json", "2_Dense/config.json",
                               "config_sentence_transformers.json"};
  Rng rng(4, Purpose::kSubset);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string path = folder / files[rng.below(4)], good = test::read_text(path);
    std::string text = good;
    for (uint64_t changes = 1 + rng.below(3); changes > 0; --changes) {
      const size_t place = rng.below(text.size());
      if (rng.below(2) == 0) {
        text[place] = static_cast<char>(rng.below(256));
      } else {
        text.insert(place, 1, "0123456789-{}[]\",:./"[rng.below(20)]);
      }
    }
    write_text(path, text);
    try {
      read(folder.path());
      read_prompts_of(folder.path());
    } catch (const Error&) {
      ++refused;
    }
    write_text(path, good);
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace contrastive::io
