// Routes about the server: health, readiness, the model and corpus, metrics, the OpenAPI document
// and the page.
#include "capi/program/failure.h"
#include "capi/program/serve/pages.h"
#include "capi/program/serve/service.h"

namespace contrastive::cli::serve {

void serve_health(Service&, const Exchange& exchange) {
  exchange.answer(answer_of({{"status", "ok"}}));
}

void serve_ready(Service& service, const Exchange& exchange) {
  if (service.stopping()) throw Refusal(503, "stopping", "the server is stopping");
  exchange.answer(answer_of({{"status", "ready"}}));
}

void serve_info(Service& service, const Exchange& exchange) {
  const std::shared_ptr<const Engine> engine = service.engine();
  const ServeSettings& settings = service.settings();
  Json info = {{"version", cs_version()},
               {"model", engine->name()},
               {"dimension", engine->dimension()},
               {"max_length", engine->max_length()},
               {"corpus", nullptr},
               {"limits",
                {{"body_bytes", settings.limits.body_bytes},
                 {"texts", settings.limits.texts},
                 {"listed_tokens", settings.limits.listed_tokens},
                 {"batch_tokens", settings.limits.batch_tokens},
                 {"queue_tokens", settings.limits.queue_tokens},
                 {"queue_requests", settings.limits.queue_requests},
                 {"connections", settings.limits.connections}}},
               {"details", Json::parse(engine->info())}};
  if (!settings.corpus.empty())
    info["corpus"] = {{"texts", engine->corpus().size()}, {"metric", engine->metric()}};
  exchange.answer(answer_of(info));
}

void serve_metrics(Service& service, const Exchange& exchange) {
  Answer answer;
  answer.type = "text/plain; version=0.0.4; charset=utf-8";
  answer.body = service.metrics().text(service.engine()->name(), !service.stopping(),
                                       service.memory()->held());
  exchange.answer(std::move(answer));
}

void serve_openapi(Service& service, const Exchange& exchange) {
  Answer answer;
  answer.body = service.engine()->openapi();
  exchange.answer(std::move(answer));
}

void serve_page(Service&, const Exchange& exchange) {
  Answer answer;
  answer.type = "text/html; charset=utf-8";
  answer.body = kPage;
  answer.headers.emplace_back("Content-Security-Policy",
                              "default-src 'none'; style-src 'unsafe-inline'; script-src "
                              "'unsafe-inline'; connect-src 'self'; "
                              "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  exchange.answer(std::move(answer));
}

}  // namespace contrastive::cli::serve
