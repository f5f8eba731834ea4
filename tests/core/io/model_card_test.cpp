#include "core/io/model_card.h"

#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/core/io/simple_yaml.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::parse_header;
using testing::HasSubstr;
using testing::Not;

ModelFolder tiny() { return read_model_folder(kModels + "bert_st"); }

std::string card_of(const ModelCard& card) {
  ModelFolder model = tiny();
  model.card = std::make_shared<const ModelCard>(card);
  return model_card(model);
}

TEST(ModelCard, OfAModelThatNobodyTrainedHereSaysSo) {
  const std::string text = model_card(tiny());
  const Json header = parse_header(text);
  EXPECT_EQ(header["library_name"], "sentence-transformers");
  EXPECT_EQ(header["pipeline_tag"], "sentence-similarity");
  EXPECT_EQ(header["tags"], Json::array({"sentence-transformers", "sentence-similarity",
                                         "feature-extraction", "libcontrastive"}));
  for (const char* unknown :
       {"license", "language", "datasets", "base_model", "metrics", "model-index"})
    EXPECT_FALSE(header.contains(unknown)) << unknown;
  for (const char* part : {"# Sentence encoder\n", "has not trained the model",
                           "Nothing was measured", "No licence was stated", "```c\n", "```java\n",
                           "```csharp\n", "```go\n", "```rust\n", "```bash\n", "```python\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("Citation")));
  EXPECT_THAT(text, HasSubstr("vectors[2 * 32]"));  // the width of this model
}

TEST(ModelCard, TheHeaderIsThatOfSentenceTransformers) {
  ModelCard card;
  card.title = "Little cats";
  card.license = "mit";
  card.languages = {"en", "no"};
  card.datasets = {"owner/cats"};
  card.base_model = "owner/base";
  card.tags = {"simcse"};
  card.figures = {{"Semantic Similarity", "sts-dev", "pearson_cosine", 0.75},
                  {"Semantic Similarity", "sts-dev", "spearman_cosine", 0.5},
                  {"Information Retrieval", "", "cosine_ndcg@10", 0.25}};
  card.training = "- **Method:** SimCSE\n";
  card.citation = "@misc{cats}\n";
  const std::string text = card_of(card);
  const Json header = parse_header(text);
  EXPECT_EQ(header["license"], "mit");
  EXPECT_EQ(header["language"], Json::array({"en", "no"}));
  EXPECT_EQ(header["datasets"], Json::array({"owner/cats"}));
  EXPECT_EQ(header["base_model"], "owner/base");
  EXPECT_EQ(header["tags"].back(), "simcse");
  EXPECT_EQ(header["metrics"],
            Json::array({"pearson_cosine", "spearman_cosine", "cosine_ndcg@10"}));
  const Json& index = header["model-index"];
  ASSERT_EQ(index.size(), 1u);
  EXPECT_EQ(index[0]["name"], "Little cats");
  ASSERT_EQ(index[0]["results"].size(), 2u);
  const Json& similarity = index[0]["results"][0];
  EXPECT_EQ(similarity["task"],
            Json({{"type", "semantic-similarity"}, {"name", "Semantic Similarity"}}));
  EXPECT_EQ(similarity["dataset"], Json({{"name", "sts dev"}, {"type", "sts-dev"}}));
  ASSERT_EQ(similarity["metrics"].size(), 2u);
  EXPECT_EQ(similarity["metrics"][1],
            Json({{"type", "spearman_cosine"}, {"value", 0.5}, {"name", "Spearman Cosine"}}));
  const Json& retrieval = index[0]["results"][1];
  EXPECT_EQ(retrieval["dataset"], Json({{"name", "Unknown"}, {"type", "unknown"}}));
  EXPECT_EQ(retrieval["metrics"][0]["name"], "Cosine Ndcg@10");
  EXPECT_THAT(text, HasSubstr("```bibtex\n@misc{cats}\n```\n"));
  EXPECT_THAT(text, Not(HasSubstr("No licence was stated")));
}

TEST(ModelCard, HostileTextsStayTexts) {
  const std::string evil =
      "x\"\n---\n# owned\n<script>alert(1)</script>\n```\n- tags: [`pwn`]\n\xff: {a: &b *c}\n...";
  ModelCard card;
  card.title = card.description = card.license = card.base_model = evil;
  card.languages = card.datasets = card.tags = {evil};
  card.figures = {{evil, evil, evil, 0.5}};
  const std::string text = card_of(card);
  const Json header = parse_header(text);
  const std::string plain =
      "x\" --- # owned <script>alert(1)</script> ``` - tags: [`pwn`] \xef\xbf\xbd: {a: &b *c} ...";
  EXPECT_EQ(header["license"], plain);
  EXPECT_EQ(header["datasets"], Json::array({plain}));
  EXPECT_EQ(header["model-index"][0]["name"], plain);
  const std::string body = text.substr(text.find("\n---\n\n") + 6);
  EXPECT_THAT(body, Not(HasSubstr("\n# owned")));
  EXPECT_THAT(body, Not(testing::ContainsRegex("[^\\]<script")));
  EXPECT_THAT(body, Not(HasSubstr("\n```\n- tags")));
  EXPECT_TRUE(is_untouched_card(text));
}

TEST(ModelCard, PromptsAndPoolingsOfOurOwnAreSaid) {
  ModelFolder model = read_model_folder(kModels + "bert_st_old");
  EXPECT_THAT(model_card(model), HasSubstr("- `query`: `the red: `"));
  model.poolings = {"last2"};
  EXPECT_THAT(model_card(model),
              HasSubstr("The pooling last2 does not exist in sentence-transformers"));
}

TEST(ModelCard, KnowsWhetherItWasTouched) {
  const std::string text = model_card(tiny());
  EXPECT_TRUE(is_untouched_card(text));
  for (const size_t at : {size_t{0}, text.size() / 2, text.size() - 3}) {
    std::string changed = text;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(is_untouched_card(changed)) << at;
  }
  EXPECT_FALSE(is_untouched_card(text + "one line more\n"));
  EXPECT_FALSE(is_untouched_card(""));
  EXPECT_FALSE(is_untouched_card("# Somebody's own words\n"));
}

}  // namespace
}  // namespace contrastive::io
