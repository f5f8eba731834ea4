// README.md of a saved model, its model card: what it is, how it came about and how well it does,
// how each language loads it, and a header of metadata that hubs read (YAML, with the keys and the
// model-index that sentence-transformers writes). A function of the model and of what is known of
// its making, without time, machine or user: a run that was resumed gives the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace contrastive::io {

struct ModelFolder;

// A figure that was measured on this very model, by the names that a hub shows.
struct CardFigure {
  std::string task;     // "Semantic Similarity"
  std::string dataset;  // what it was measured on: "stsb-dev"; empty: unknown
  std::string metric;   // "spearman_cosine"
  double value = 0;
};

// What is known of a model beside what its folder says. Plain texts may hold anything; those that
// are said to be Markdown were made with card_text.h.
struct ModelCard {
  std::string title, description, license, base_model;  // plain; empty: unknown
  std::vector<std::string> languages, datasets, tags;   // plain
  std::vector<CardFigure> figures;                      // for the header
  std::string training, evaluation;                     // Markdown: the texts of these sections
  std::vector<std::string> limits;                      // Markdown: one sentence each
  std::string citation;                                 // BibTeX; empty: nothing to cite
};

// `model.card` null: nothing but what the folder says is known, and the card says that no run is
// recorded.
std::string model_card(const ModelFolder& model);

// Whether this is a card that model_card() wrote and nobody has changed since: its last line holds
// the digest of the lines above.
bool is_untouched_card(std::string_view text);

}  // namespace contrastive::io
