#include "core/eval/encode_keys.h"

namespace contrastive::eval {

void EncodeKeys::visit(OptionVisitor& v) {
  v.text("pooling", pooling,
         OptionDoc("pooling instead of the model's own; empty: the model's")
             .source("methods of the model folder"));
  v.text("prompt", prompt, "text put before every text");
  v.text("prompt_name", prompt_name,
         OptionDoc("one of the model's own prompts").source("config_sentence_transformers.json"));
  v.integer("truncate_dim", truncate_dim, at_least(0),
            OptionDoc("number of first dimensions of each embedding to keep; 0: all")
                .source("Matryoshka models")
                .unit("dimensions"));
  v.integer("max_length", max_length, at_least(0),
            OptionDoc("longer texts are cut; 0: the model's own limit").unit("tokens"));
}

model::EncodeOptions EncodeKeys::resolved(const Cancel* cancel) const {
  model::EncodeOptions options;
  options.pooling = pooling;
  if (!prompt.empty()) options.prompt = prompt;
  options.prompt_name = prompt_name;
  options.truncate_dim = truncate_dim;
  options.max_length = max_length;
  options.cancel = cancel;
  return options;
}

TextEncoder text_encoder(const model::SentenceEncoder& model, const model::EncodeOptions& options) {
  return {model.dimension(options),
          [&model, options](const std::vector<std::string_view>& texts, float* embeddings) {
            model.encode(texts, options, embeddings);
          }};
}

}  // namespace contrastive::eval
