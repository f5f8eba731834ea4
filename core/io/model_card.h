// The model card: README.md of a saved model. It says what the model is, how it was trained, how
// well it does, and how each language loads it. Its header has metadata that model hubs read (YAML,
// with the same keys and model-index as sentence-transformers). The card depends only on the model
// and on what is known about its training, not on time, machine or user: a resumed run gives the
// same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace contrastive::io {

struct ModelFolder;

// A metric that was measured on this model, under the names that a model hub shows.
struct CardFigure {
  std::string task;     // "Semantic Similarity"
  std::string dataset;  // the evaluation data: "stsb-dev"; empty if unknown
  std::string metric;   // "spearman_cosine"
  double value = 0;
};

// What is known about a model besides the contents of its folder. Plain texts may contain anything.
// Fields in Markdown must be made with card_text.h.
struct ModelCard {
  std::string title, description, license, base_model;  // plain; empty if unknown
  std::vector<std::string> languages, datasets, tags;   // plain
  std::vector<CardFigure> figures;                      // for the header
  std::string training, evaluation;                     // Markdown: the texts of these sections
  std::vector<std::string> limits;                      // Markdown: one sentence each
  std::string citation;                                 // BibTeX; empty if there is nothing to cite
};

// If `model.card` is null, only the contents of the folder are known, and the card says that no
// training run is recorded.
std::string model_card(const ModelFolder& model);

// Whether this is an unchanged card that model_card() wrote: its last line
// contains the digest of the lines above.
bool is_untouched_card(std::string_view text);

}  // namespace contrastive::io
