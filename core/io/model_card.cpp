#include "core/io/model_card.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/encoder/static_encoder.h"
#include "core/io/card_text.h"
#include "core/io/families/family.h"
#include "core/io/loading_examples.h"
#include "core/io/model_folder.h"
#include "core/io/modules.h"

namespace contrastive::io {
namespace {

constexpr const char* kUntrained =
    "libcontrastive " CONTRASTIVE_VERSION
    " wrote this folder and has not trained the model: how it was trained is not recorded.\n";
constexpr const char* kTrained = "libcontrastive " CONTRASTIVE_VERSION " trained this model.\n\n";
constexpr const char* kDigestBegin =
    "<!-- libcontrastive wrote this card. SHA-256 of what stands above: ";
constexpr const char* kDigestEnd = " -->\n";

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

// ---- The header ----

std::string yaml_list(const char* key, const std::vector<std::string>& items) {
  std::string text = items.empty() ? "" : cat(key, ":\n");
  for (const std::string& item : items) text += cat("- ", yaml_text(item), "\n");
  return text;
}

std::string yaml_line(const char* key, const std::string& value) {
  return value.empty() ? "" : cat(key, ": ", yaml_text(value), "\n");
}

// "spearman_cosine" -> "Spearman Cosine", as in sentence-transformers.
std::string shown_metric(std::string metric) {
  bool begins = true;
  for (char& c : metric) {
    if (c == '_') c = ' ';
    if (begins && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    begins = c == ' ';
  }
  return metric;
}

// "Semantic Similarity" -> "semantic-similarity"
std::string task_type(std::string task) {
  for (char& c : task)
    c = c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return task;
}

std::string shown_dataset(std::string name) {
  for (char& c : name) c = c == '_' || c == '-' ? ' ' : c;
  return name.empty() ? "Unknown" : name;
}

// One result for each task and dataset, as model hubs require.
std::string model_index(const std::string& title, const std::vector<CardFigure>& figures) {
  std::string text =
      figures.empty() ? "" : cat("model-index:\n- name: ", yaml_text(title), "\n  results:\n");
  const CardFigure* before = nullptr;
  for (const CardFigure& figure : figures) {
    if (before == nullptr || before->task != figure.task || before->dataset != figure.dataset) {
      text += cat("  - task:\n      type: ", yaml_text(task_type(figure.task)),
                  "\n      name: ", yaml_text(figure.task),
                  "\n    dataset:\n      name: ", yaml_text(shown_dataset(figure.dataset)),
                  "\n      type: ", yaml_text(figure.dataset.empty() ? "unknown" : figure.dataset),
                  "\n    metrics:\n");
    }
    text +=
        cat("    - type: ", yaml_text(figure.metric), "\n      value: ", card_number(figure.value),
            "\n      name: ", yaml_text(shown_metric(figure.metric)), "\n");
    before = &figure;
  }
  return text;
}

std::vector<std::string> metric_names(const std::vector<CardFigure>& figures) {
  std::vector<std::string> names;
  for (const CardFigure& figure : figures) {
    bool known = false;
    for (const std::string& name : names) known = known || name == figure.metric;
    if (!known) names.push_back(figure.metric);
  }
  return names;
}

std::string header(const ModelFolder& model, const ModelCard& card, const std::string& title) {
  const char* kind = "sentence-similarity";
  std::vector<std::string> tags = {"sentence-transformers", "sentence-similarity",
                                   "feature-extraction", "libcontrastive"};
  if (model.classifier != nullptr) {
    kind = model.classifier->labels.size() == 1 ? "text-ranking" : "text-classification";
    tags = {"sentence-transformers", "cross-encoder", "reranker", "libcontrastive"};
  }
  tags.insert(tags.end(), card.tags.begin(), card.tags.end());
  return "---\n" + yaml_list("language", card.languages) + yaml_line("license", card.license) +
         "library_name: sentence-transformers\n" + cat("pipeline_tag: ", kind, "\n") +
         yaml_list("tags", tags) + yaml_list("datasets", card.datasets) +
         yaml_line("base_model", card.base_model) +
         yaml_list("metrics", metric_names(card.figures)) + model_index(title, card.figures) +
         "---\n";
}

// ---- The contents of the folder ----

struct Pipeline {
  int64_t width = 0;  // of the embeddings
  std::string steps;  // Markdown
};

Pipeline pipeline_of(const ModelFolder& model) {
  Pipeline pipeline;
  pipeline.width = model.encoder.hidden_size * static_cast<int64_t>(model.poolings.size());
  int number = 3;
  if (encoder::is_static(model.encoder)) {
    pipeline.steps = cat("1. StaticEmbedding: a vector of width ", model.encoder.hidden_size,
                         " for each of ", model.encoder.vocab_size,
                         " tokens; the mean of the first ", model.max_seq_length, " of a text\n");
    number = 2;
  } else {
    pipeline.steps = cat("1. Transformer: ", family_named(model.encoder.family).title, ", ",
                         model.encoder.num_hidden_layers, " layers, width ",
                         model.encoder.hidden_size, ", at most ", model.max_seq_length,
                         " tokens\n2. Pooling: ", joined(model.poolings), "\n");
  }
  if (model.classifier != nullptr) {
    pipeline.steps =
        pipeline.steps.substr(0, pipeline.steps.find("2. Pooling")) + "2. Classification head: ";
    for (size_t i = 0; i < model.classifier->labels.size(); ++i)
      pipeline.steps += (i == 0 ? "" : ", ") + markdown_code(model.classifier->labels[i]);
    pipeline.steps += cat("; activation of the scores: ", model.classifier->activation, "\n");
  }
  for (const DenseModule& dense : model.dense) {
    if (dense.normalizes) pipeline.steps += cat(number++, ". Normalize: vectors of length 1\n");
    pipeline.steps += cat(number++, ". Dense: ", dense.weight.size(1), " to ", dense.weight.size(0),
                          ", ", dense.activation, "\n");
    pipeline.width = dense.weight.size(0);
  }
  if (model.normalize) pipeline.steps += cat(number++, ". Normalize: embeddings of length 1\n");
  if (model.truncate_dim > 0 && model.truncate_dim < pipeline.width) {
    pipeline.width = model.truncate_dim;
    pipeline.steps += cat(number, ". Cut to the first ", pipeline.width, " numbers\n");
  }
  return pipeline;
}

std::string prompts(const ModelFolder& model) {
  if (model.prompts.empty()) return "";
  std::string text = "\nPrompts, which are put before a text:\n\n";
  for (const auto& [name, prompt] : model.prompts) {
    text +=
        cat("- ", markdown_code(name), ": ", prompt.empty() ? "nothing" : markdown_code(prompt),
            !name.empty() && name == model.default_prompt_name ? ", unless another is requested\n"
                                                               : "\n");
  }
  return text;
}

std::string limits(const ModelFolder& model, const ModelCard& card) {
  const bool reranker = model.classifier != nullptr;
  std::string text = cat("- A ", reranker ? "pair" : "text", " of more than ", model.max_seq_length,
                         " tokens is cut",
                         reranker ? ", the longer text first: the rest does not affect the score.\n"
                                  : ": the rest does not affect its embedding.\n");
  if (!reranker && !poolings_are_expressible(model.poolings)) {
    text +=
        cat("- The pooling ", joined(model.poolings),
            " does not exist in sentence-transformers. `contrastive.json` states it for ",
            "libcontrastive; sentence-transformers uses ",
            joined(nearest_expressible(model.poolings)), " instead and gives other embeddings.\n");
  }
  if (card.languages.empty()) text += "- Which languages it is for was not stated.\n";
  if (card.license.empty())
    text += "- No licence was stated: those of the base model and of the data apply.\n";
  for (const std::string& limit : card.limits) text += "- " + limit + "\n";
  return text;
}

}  // namespace

std::string model_card(const ModelFolder& model) {
  const ModelCard card = model.card == nullptr ? ModelCard() : *model.card;
  const std::string title = !card.title.empty()           ? card.title
                            : model.classifier != nullptr ? "Reranker"
                                                          : "Sentence encoder";
  const Pipeline pipeline = pipeline_of(model);
  std::string text = header(model, card, title) + "\n# " + markdown_text(title) + "\n\n";
  if (!card.description.empty()) text += markdown_text(card.description) + "\n\n";
  if (model.classifier != nullptr)
    text += "A cross-encoder: it reads two texts together, such as a query and a document, and "
            "gives their scores.\n\n";
  else
    text += cat("Maps a text to ", pipeline.width, " numbers; texts are compared by ",
                model.similarity, ".\n\n");
  text += pipeline.steps + prompts(model);
  text += "\n## Training\n\n";
  text += card.training.empty() ? std::string(kUntrained) : kTrained + card.training;
  text += "\n## Evaluation\n\n";
  text += card.evaluation.empty() ? "Nothing was measured when this folder was written.\n"
                                  : card.evaluation;
  text += "\n## Limits\n\n" + limits(model, card) + "\n## Loading\n";
  text += model.classifier != nullptr ? reranker_examples() : loading_examples(pipeline.width);
  if (!card.citation.empty()) text += "\n## Citation\n\n```bibtex\n" + card.citation + "```\n";
  text += "\n";
  return text + kDigestBegin + sha256_hex(text) + kDigestEnd;
}

bool is_untouched_card(std::string_view text) {
  const size_t at = text.rfind(kDigestBegin);
  return at != std::string_view::npos &&
         text.substr(at) == kDigestBegin + sha256_hex(text.substr(0, at)) + kDigestEnd;
}

}  // namespace contrastive::io
