#include "core/io/model_card.h"

#include "core/base/error.h"
#include "core/io/families/family.h"
#include "core/io/modules.h"

namespace contrastive::io {
namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

}  // namespace

std::string model_card(const ModelFolder& model) {
  int64_t width = model.encoder.hidden_size * static_cast<int64_t>(model.poolings.size());
  std::string steps = cat("1. Transformer: ", family_named(model.encoder.family).title, ", ", model.encoder.num_hidden_layers, " layers, width ",
                          model.encoder.hidden_size, ", at most ", model.max_seq_length, " tokens\n2. Pooling: ", joined(model.poolings), "\n");
  int number = 3;
  for (const DenseModule& dense : model.dense) {
    steps += cat(number++, ". Dense: ", dense.weight.size(1), " to ", dense.weight.size(0), ", ", dense.activation, "\n");
    width = dense.weight.size(0);
  }
  if (model.normalize) steps += cat(number, ". Normalize: embeddings of length 1\n");
  std::string card =
      "---\nlibrary_name: sentence-transformers\npipeline_tag: sentence-similarity\ntags:\n- sentence-transformers\n- sentence-similarity\n"
      "- feature-extraction\n---\n\n# Sentence encoder\n\n";
  card += cat("Maps a text to ", width, " numbers; texts are compared by ", model.similarity, ".\n\n", steps,
              "\n```python\nfrom sentence_transformers import SentenceTransformer\n\nmodel = SentenceTransformer(\"path/to/this/folder\")\n"
              "embeddings = model.encode([\"a text\", \"another text\"])\n```\n");
  if (!poolings_are_expressible(model.poolings)) {
    card += cat("\nThe pooling ", joined(model.poolings), " does not exist in sentence-transformers. `contrastive.json` states it for ",
                "libcontrastive; sentence-transformers uses ", joined(nearest_expressible(model.poolings)), " instead and gives other embeddings.\n");
  }
  return card;
}

}  // namespace contrastive::io
