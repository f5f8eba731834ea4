#include "core/mining/mining_encoder.h"

#include <vector>

#include "core/base/error.h"

namespace contrastive::mining {
namespace {

// As sentence-transformers' encode_query and encode_document choose.
const std::vector<const char*> kQueryPrompts = {"query"},
                               kDocumentPrompts = {"document", "passage", "corpus"};

model::EncodeOptions with_prompt(model::EncodeOptions options, const model::SentenceEncoder& model,
                                 const std::string& prompt, const std::vector<const char*>& names) {
  if (!prompt.empty()) {
    options.prompt = prompt;
    options.prompt_name.clear();
  } else if (!options.prompt && options.prompt_name.empty()) {
    for (const char* name : names) {
      const auto& known = model.folder().prompts;
      if (options.prompt_name.empty() && known.count(name) > 0) options.prompt_name = name;
    }
  }
  return options;
}

NamedEncoder named(const model::SentenceEncoder& model, const model::EncodeOptions& options,
                   const std::string& identity) {
  const std::string prompt = model.plan(options).prompt;
  return {eval::text_encoder(model, options), cat(identity, "prompt ", prompt, "\n"), prompt};
}

}  // namespace

MiningEncoder make_mining_encoder(const model::SentenceEncoder& model,
                                  const std::string& fingerprint, const eval::EncodeKeys& keys,
                                  const std::string& query_prompt,
                                  const std::string& document_prompt, const Cancel* cancel,
                                  int normalize) {
  model::EncodeOptions options = keys.resolved(cancel);
  options.normalize = normalize;
  const int64_t max_length = options.max_length > 0 ? options.max_length : model.max_length();
  MiningEncoder result;
  result.identity =
      cat(fingerprint, "\n", options.pooling, "\n", max_length, "\n", options.truncate_dim, "\n");
  if (normalize != 1) result.identity += cat("normalize ", normalize, "\n");
  result.queries =
      named(model, with_prompt(options, model, query_prompt, kQueryPrompts), result.identity);
  result.documents =
      named(model, with_prompt(options, model, document_prompt, kDocumentPrompts), result.identity);
  return result;
}

}  // namespace contrastive::mining
