// POST /similarity and POST /search: texts compared with texts, and with the corpus.
#include <algorithm>

#include "capi/cli/failure.h"
#include "capi/cli/metric.h"
#include "capi/cli/serve/fields.h"
#include "capi/cli/serve/routes.h"

namespace contrastive::cli::serve {
namespace {

constexpr int64_t kMaxScores = int64_t{1} << 20;  // that one answer lists
constexpr int64_t kMaxHits = 100000;

int32_t metric_of(const Fields& fields, const std::string& standard) {
  const std::string name = fields.word("metric", standard);
  for (const char* known : {"cosine", "dot", "euclidean", "manhattan"}) {
    if (name == known) return metric_number(name);
  }
  throw Refusal(400, "invalid_value", "'metric' should be \"cosine\", \"dot\", \"euclidean\" or \"manhattan\"", "metric");
}

}  // namespace

void serve_similarity(Service& service, const Exchange& exchange) {
  Fields fields(exchange.request().body, service.settings().limits.texts);
  std::vector<std::string> texts = fields.take_texts("a"), others = fields.take_texts("b");
  const auto n = static_cast<int64_t>(texts.size()), m = static_cast<int64_t>(others.size());
  if (n * m > kMaxScores) {
    throw Refusal(422, "too_many_texts",
                  "'a' and 'b' have " + std::to_string(n * m) + " pairs, and one answer lists " + std::to_string(kMaxScores) +
                      ": send several requests",
                  "b");
  }
  const int32_t metric = metric_of(fields, service.settings().metric);
  Manner manner;
  manner.prompt = fields.name("prompt_name", "");
  texts.insert(texts.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  service.embed(exchange, service.engine(), manner, std::move(texts), n * m, [n, m, metric](const Ticket& ticket) {
    const int64_t dimension = ticket.engine->dimension(ticket.manner);
    std::vector<float> scores(static_cast<size_t>(n * m));
    Outcome outcome;
    cs_similarity(ticket.embeddings.data(), n, ticket.embeddings.data() + n * dimension, m, dimension, metric, scores.data(), n * m, outcome);
    outcome.check();
    Answer answer;
    answer.body = R"({"scores":[)";
    for (int64_t i = 0; i < n; ++i) {
      if (i > 0) answer.body += ',';
      append_floats(answer.body, &scores[static_cast<size_t>(i * m)], static_cast<size_t>(m));
    }
    answer.body += R"(],"usage":)" + usage_of(ticket).dump() + "}\n";
    return answer;
  });
}

void serve_search(Service& service, const Exchange& exchange) {
  const ServeSettings& settings = service.settings();
  if (settings.corpus.empty()) throw Refusal(404, "no_corpus", "this server has no corpus to search: it was started without --corpus FILE");
  Fields fields(exchange.request().body, settings.limits.texts);
  std::vector<std::string> queries = fields.take_texts("query");
  constexpr int64_t kStandardHits = 10;
  const int64_t k = fields.number("top_k", kStandardHits, 1, kMaxHits);
  const auto n = static_cast<int64_t>(queries.size());
  if (n * k > kMaxHits) {
    throw Refusal(422, "too_many_hits",
                  std::to_string(n) + " queries of " + std::to_string(k) + " hits are more than the " + std::to_string(kMaxHits) +
                      " that one answer lists: ask for fewer",
                  "top_k");
  }
  const int32_t metric = metric_of(fields, settings.metric);
  Manner manner;
  manner.prompt = fields.name("prompt_name", settings.query_prompt);
  const std::shared_ptr<const Engine> engine = service.engine();
  const auto compared = n * static_cast<int64_t>(engine->corpus().size());
  service.embed(exchange, engine, manner, std::move(queries), compared, [&service, n, k, metric](const Ticket& ticket) {
    const Engine::Hits found = ticket.engine->search(ticket.embeddings, n, k, metric, service.cancel());
    Json results = Json::array();
    for (int64_t q = 0; q < n; ++q) {
      Json hits = Json::array();
      for (int64_t rank = 0; rank < found.k; ++rank) {
        const auto at = static_cast<size_t>(q * found.k + rank);
        const int32_t index = found.indices[at];
        if (index < 0) break;
        hits.push_back({{"rank", rank + 1}, {"id", index}, {"score", found.scores[at]}, {"text", ticket.engine->corpus()[static_cast<size_t>(index)]}});
      }
      results.push_back({{"query", ticket.texts[static_cast<size_t>(q)]}, {"hits", std::move(hits)}});
    }
    return answer_of({{"results", std::move(results)}, {"usage", usage_of(ticket)}});
  });
}

}  // namespace contrastive::cli::serve
