// The server's settings: where it listens, what it serves, and its limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capi/program/embed.h"
#include "capi/program/rows.h"
#include "capi/program/verb.h"

namespace contrastive::cli::serve {

struct Limits {
  int64_t body_bytes = int64_t{16} << 20;     // of one request
  int64_t memory_bytes = int64_t{512} << 20;  // of all requests that are being read or answered
  int texts = 2048;                           // of one request
  int listed_tokens = 65536;                  // listed in one answer of /tokenize
  int batch_tokens = 4096;                    // of one call of the library, over all connections
  int64_t queue_tokens = 262144;              // waiting; beyond it requests are answered 429
  int queue_requests = 4096;
  int connections = 10000;
  int header_seconds = 10;  // for a request's header to arrive completely
  int body_seconds = 60;    // for its body to arrive, and for its answer to be sent
  int idle_seconds = 75;    // between two requests of a connection
  int queue_seconds = 60;   // a request that waited longer is answered 503
  int stop_seconds = 30;    // for running requests to finish after SIGTERM
};

struct ServeSettings {
  ModelArguments model;
  EmbedArguments embed;
  std::string host = "127.0.0.1";
  int port = 8000;
  std::string model_name;  // "": the name of the model's folder
  std::string query_prompt;
  std::string corpus, embeddings, metric;  // metric "": the model's
  RowOptions rows;
  ColumnArguments column;
  std::string api_key_file;
  std::vector<std::string> origins;  // --allow-origin: more origins whose pages may send requests
  Limits limits;
  bool log_requests = false;
  bool progress = false;  // show a progress line while the corpus is embedded
};

}  // namespace contrastive::cli::serve
