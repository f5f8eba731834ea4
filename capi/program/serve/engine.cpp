#include "capi/program/serve/engine.h"

#include <algorithm>

#include "capi/program/failure.h"
#include "capi/program/line_tokenizer.h"
#include "capi/program/metric.h"
#include "capi/program/serve/answer.h"
#include "capi/program/serve/openapi.h"

namespace contrastive::cli::serve {
namespace {

// The last component of a path: "minilm" for "models/minilm/".
std::string last_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::shared_ptr<const Engine> Engine::load(const ServeSettings& settings) {
  auto engine = std::make_shared<Engine>();
  engine->arguments_ = settings.embed;
  engine->arguments_.pooling = settings.model.pooling;
  engine->model_ = load_model(settings.model);
  const Embedder embedder(engine->model(), engine->arguments_);
  engine->dimension_ = embedder.dimension();
  engine->max_length_ = embedder.max_length();
  engine->name_ =
      settings.model_name.empty() ? last_name(settings.model.model) : settings.model_name;
  Outcome outcome;
  const String info(cs_model_info(engine->model(), outcome));
  outcome.check();
  engine->info_ = info.get();
  engine->metric_ = metric_name(settings.metric, engine->model());
  if (!settings.corpus.empty())
    engine->corpus_ = read_corpus(settings.corpus, settings.rows, settings.embeddings, embedder,
                                  settings.progress);
  for (const std::string& text : engine->corpus_.texts)
    engine->quoted_bytes_.push_back(static_cast<int64_t>(quoted(text).size()));
  engine->openapi_ = describe(*engine, settings.limits.texts);
  return engine;
}

int32_t Engine::count_tokens(const std::string& text) const {
  return static_cast<int32_t>(LineTokenizer(model(), max_length_, false).count(text));
}

void Engine::embed(const std::vector<const std::string*>& texts, const Manner& manner,
                   float* embeddings, int32_t* counts, const cs_cancel* cancel) const {
  std::vector<const char*> data;
  std::vector<int64_t> lengths;
  for (const std::string* text : texts) {
    data.push_back(text->data());
    lengths.push_back(static_cast<int64_t>(text->size()));
  }
  cs_encode_options options = arguments_.options();
  if (manner.dimensions > 0) options.truncate_dim = manner.dimensions;
  if (!manner.prompt.empty()) {
    options.prompt_name = manner.prompt.c_str();
    options.prompt = nullptr;
  }
  options.token_counts = counts;
  options.cancel = cancel;
  const auto n = static_cast<int64_t>(texts.size());
  Outcome outcome;
  cs_encode(model(), data.data(), lengths.data(), n, &options, embeddings, n * dimension(manner),
            outcome);
  outcome.check();
}

Engine::Hits Engine::search(const std::vector<float>& queries, int64_t n, int64_t k, int32_t metric,
                            const cs_cancel* cancel) const {
  Hits hits;
  hits.k = std::min(k, static_cast<int64_t>(corpus_.texts.size()));
  hits.indices.resize(static_cast<size_t>(n * hits.k));
  hits.scores.resize(hits.indices.size());
  Outcome outcome;
  cs_search(queries.data(), n, corpus_.vectors.values.data(),
            static_cast<int64_t>(corpus_.texts.size()), dimension_, metric,
            static_cast<int32_t>(hits.k), hits.indices.data(), hits.scores.data(), n * hits.k,
            cancel, outcome);
  outcome.check();
  return hits;
}

}  // namespace contrastive::cli::serve
