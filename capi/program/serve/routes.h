// The functions that serve each path. They answer the exchange, now or later. The router answers
// what they throw (router.h).
#pragma once

#include "capi/program/serve/service.h"

namespace contrastive::cli::serve {

void serve_embeddings(Service& service, const Exchange& exchange);  // POST /v1/embeddings
void serve_models(Service& service, const Exchange& exchange);      // GET /v1/models
void serve_model(Service& service, const Exchange& exchange);       // GET /v1/models/{id}
void serve_similarity(Service& service, const Exchange& exchange);  // POST /similarity
void serve_search(Service& service, const Exchange& exchange);      // POST /search
void serve_tokenize(Service& service, const Exchange& exchange);    // POST /tokenize
void serve_health(Service& service, const Exchange& exchange);      // GET /health
void serve_ready(Service& service, const Exchange& exchange);       // GET /ready
void serve_info(Service& service, const Exchange& exchange);        // GET /info
void serve_metrics(Service& service, const Exchange& exchange);     // GET /metrics
void serve_openapi(Service& service, const Exchange& exchange);     // GET /openapi.json
void serve_page(Service& service, const Exchange& exchange);        // GET /

}  // namespace contrastive::cli::serve
