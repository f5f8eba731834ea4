// POST /similarity and POST /search: compare texts with each other and with the corpus.
#include <algorithm>

#include "capi/program/failure.h"
#include "capi/program/metric.h"
#include "capi/program/serve/fields.h"
#include "capi/program/serve/service.h"

namespace contrastive::cli::serve {
namespace {

constexpr int64_t kMaxScores = int64_t{1} << 20;  // in one answer
constexpr int64_t kMaxHits = 100000;

int32_t metric_of(const Fields& fields, const std::string& standard) {
  const std::string name = fields.word("metric", standard);
  for (const char* known : {"cosine", "dot", "euclidean", "manhattan"}) {
    if (name == known) return metric_number(name);
  }
  throw Refusal(400, "invalid_value",
                "'metric' should be \"cosine\", \"dot\", \"euclidean\" or \"manhattan\"", "metric");
}

// An upper bound of the size of the answer of /search. The texts of a corpus may have any length.
int64_t search_bytes(const Ticket& ticket, const Engine::Hits& found) {
  int64_t bytes = kFrameChars;
  for (const std::string& query : ticket.texts)
    bytes += kFrameChars + static_cast<int64_t>(quoted(query).size());
  for (const int32_t index : found.indices) {
    if (index >= 0) bytes += kFrameChars + ticket.engine->quoted_bytes(index);
  }
  return bytes;
}

}  // namespace

void serve_similarity(Service& service, const Exchange& exchange) {
  Fields fields(std::move(exchange.request().body), service.settings().limits.texts);
  std::vector<std::string> texts = fields.take_texts("a"), others = fields.take_texts("b");
  const auto n = static_cast<int64_t>(texts.size()), m = static_cast<int64_t>(others.size());
  if (n * m > kMaxScores) {
    throw Refusal(422, "too_many_texts",
                  "'a' and 'b' have " + std::to_string(n * m) + " pairs, and one answer lists " +
                      std::to_string(kMaxScores) + ": send several requests",
                  "b");
  }
  const std::shared_ptr<const Engine> engine = service.engine();
  const int32_t metric = metric_of(fields, engine->metric());
  Manner manner;
  manner.prompt = fields.name("prompt_name", "");
  texts.insert(texts.end(), std::make_move_iterator(others.begin()),
               std::make_move_iterator(others.end()));
  const int64_t bytes = n * m * kFloatChars + (n + 1) * kFrameChars;
  const auto score_bytes = n * m * static_cast<int64_t>(sizeof(float));
  service.embed(exchange, engine, manner, std::move(texts), n * m, bytes + score_bytes,
                [n, m, metric, bytes](const Ticket& ticket) {
                  const int64_t dimension = ticket.engine->dimension(ticket.manner);
                  std::vector<float> scores(static_cast<size_t>(n * m));
                  Outcome outcome;
                  cs_similarity(ticket.embeddings.data(), n,
                                ticket.embeddings.data() + n * dimension, m, dimension, metric,
                                scores.data(), n * m, outcome);
                  outcome.check();
                  Answer answer;
                  answer.body.reserve(static_cast<size_t>(bytes));
                  answer.body += R"({"scores":[)";
                  for (int64_t i = 0; i < n; ++i) {
                    if (i > 0) answer.body += ',';
                    append_floats(answer.body, &scores[static_cast<size_t>(i * m)],
                                  static_cast<size_t>(m));
                  }
                  answer.body += R"(],"usage":)" + usage_of(ticket).dump() + "}\n";
                  return answer;
                });
}

void serve_search(Service& service, const Exchange& exchange) {
  const ServeSettings& settings = service.settings();
  if (settings.corpus.empty())
    throw Refusal(404, "no_corpus",
                  "this server has no corpus to search: it was started without --corpus FILE");
  Fields fields(std::move(exchange.request().body), settings.limits.texts);
  std::vector<std::string> queries = fields.take_texts("query");
  constexpr int64_t kStandardHits = 10;
  const int64_t k = fields.number("top_k", kStandardHits, 1, kMaxHits);
  const auto n = static_cast<int64_t>(queries.size());
  if (n * k > kMaxHits) {
    throw Refusal(422, "too_many_hits",
                  std::to_string(n) + " queries of " + std::to_string(k) +
                      " hits are more than the " + std::to_string(kMaxHits) +
                      " that one answer lists: ask for fewer",
                  "top_k");
  }
  Manner manner;
  manner.prompt = fields.name("prompt_name", settings.query_prompt);
  const std::shared_ptr<const Engine> engine = service.engine();
  const int32_t metric = metric_of(fields, engine->metric());
  const auto compared = n * static_cast<int64_t>(engine->corpus().size());
  const int64_t hit_bytes = n * k * static_cast<int64_t>(sizeof(int32_t) + sizeof(float));
  service.embed(exchange, engine, manner, std::move(queries), compared, hit_bytes,
                [&service, exchange, n, k, metric](const Ticket& ticket) {
                  const Engine::Hits found =
                      ticket.engine->search(ticket.embeddings, n, k, metric, service.cancel());
                  const int64_t bytes = search_bytes(ticket, found);
                  exchange.request().memory->require(bytes);
                  Answer answer;
                  std::string& body = answer.body;
                  body.reserve(static_cast<size_t>(bytes));
                  body += R"({"results":[)";
                  for (size_t q = 0; q < ticket.texts.size(); ++q) {
                    body += (q > 0 ? "," : "") + std::string(R"({"query":)") +
                            quoted(ticket.texts[q]) + R"(,"hits":[)";
                    for (size_t rank = 0; rank < static_cast<size_t>(found.k); ++rank) {
                      const size_t at = q * static_cast<size_t>(found.k) + rank;
                      const int32_t index = found.indices[at];
                      if (index < 0) break;
                      body += (rank > 0 ? "," : "") + std::string(R"({"rank":)") +
                              std::to_string(rank + 1) + R"(,"id":)" + std::to_string(index) +
                              R"(,"score":)";
                      append_float(body, found.scores[at]);
                      body += R"(,"text":)" +
                              quoted(ticket.engine->corpus()[static_cast<size_t>(index)]) + "}";
                    }
                    body += "]}";
                  }
                  body += R"(],"usage":)" + usage_of(ticket).dump() + "}\n";
                  return answer;
                });
}

}  // namespace contrastive::cli::serve
