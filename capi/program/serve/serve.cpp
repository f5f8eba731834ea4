// contrastive serve: serves a model over HTTP, to clients of OpenAI's embeddings and to any program
// that can send JSON.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "capi/program/failure.h"
#include "capi/program/metric.h"
#include "capi/program/serve/origin.h"
#include "capi/program/serve/server.h"
#include "capi/program/serve/settings.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

// Whether an empty value of this option would lift a restriction.
bool restricts(const std::string& option) {
  static const std::string kTimeout = "-timeout";
  const bool timeout =
      option.size() > kTimeout.size() &&
      option.compare(option.size() - kTimeout.size(), kTimeout.size(), kTimeout) == 0;
  return option == "--api-key-file" || option.rfind("--max-", 0) == 0 || timeout;
}

// Refuses empty values. CLI11 treats an empty environment variable as unset.
void refuse_empty(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    if (!restricts(option->get_name())) continue;
    const bool given = option->count() > 0;
    const char* const variable = std::getenv(option->get_envname().c_str());
    const bool empty =
        given ? option->results()[0].empty() : variable != nullptr && *variable == '\0';
    if (empty)
      throw usage_failure((given ? option->get_name() : option->get_envname()) + " is empty",
                          "give it a value, or leave it out");
  }
}

void run(serve::ServeSettings& settings, const Common& common, const CLI::App& verb) {
  refuse_empty(verb);
  settings.column.apply(settings.rows);
  if (!settings.embeddings.empty() && settings.corpus.empty())
    throw usage_failure("--embeddings needs --corpus: the texts of these vectors");
  for (const std::string& origin : settings.origins) {
    if (!serve::is_origin(origin))
      throw usage_failure(
          "--allow-origin '" + origin +
          "' is no origin: scheme, host and port are needed, as in https://site.example:8443");
  }
  // A longer body would never fit into the memory.
  settings.limits.body_bytes =
      std::min(settings.limits.body_bytes, settings.limits.memory_bytes / 4 * 3);
  settings.log_requests = common.verbosity > 0;
  settings.progress = common.progress();
  // The address first, so that an address in use is reported before gigabytes are read.
  serve::Server server(settings);
  serve::Service service(settings);
  if (!serve::is_loopback(settings.host) && service.allows(""))
    print_warning("everybody who reaches " + server.url() +
                  " may use it: --api-key-file makes it ask for a key");
  server.listen();
  if (common.json) {
    print_json({{"url", server.url()},
                {"port", server.port()},
                {"model", service.engine()->name()},
                {"page", server.page_url()}});
  } else {
    print_line("serving " + service.engine()->name() + " on " + server.url());
  }
  flush_stdout();
  if (!common.quiet && !common.json)
    std::fprintf(stderr, "open its page in a browser: %s\n", server.page_url().c_str());
  server.run(service);
}

void add_limits(CLI::App* verb, serve::Limits& limits) {
  constexpr int kMany = 1 << 30, kDay = 86400;
  add_option(verb, "--max-body-bytes", limits.body_bytes,
             "bytes of one request; a larger one gets 413; default 16 MiB")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 31));
  add_option(verb, "--max-memory-bytes", limits.memory_bytes,
             "bytes of memory for all requests and answers; beyond it, requests get 429, 503 or "
             "422; default 512 MiB")
      ->check(CLI::Range(int64_t{1} << 20, int64_t{1} << 50));
  add_option(verb, "--max-texts", limits.texts,
             "texts of one request; one with more gets 422; default 2048")
      ->check(CLI::Range(1, 1000000));
  add_option(verb, "--max-listed-tokens", limits.listed_tokens,
             "tokens that one answer of /tokenize lists; default 65536")
      ->check(CLI::Range(1, 1 << 24));
  add_option(verb, "--max-batch-tokens", limits.batch_tokens,
             "tokens that are embedded together, over all requests; default 4096")
      ->check(CLI::Range(1, kMany));
  add_option(verb, "--max-queue-tokens", limits.queue_tokens,
             "tokens in the queue; if it is full, a request gets 429; default 262144")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 50));
  add_option(verb, "--max-queue-requests", limits.queue_requests,
             "requests in the queue; if it is full, a request gets 429; default 4096")
      ->check(CLI::Range(1, kMany));
  add_option(verb, "--max-connections", limits.connections,
             "connections at once; if all are busy, a further one gets 503; default 10000")
      ->check(CLI::Range(1, kMany));
  add_option(verb, "--header-timeout", limits.header_seconds,
             "seconds for a request's header; default 10")
      ->check(CLI::Range(1, kDay));
  add_option(verb, "--body-timeout", limits.body_seconds,
             "seconds to receive a body, and to send an answer; default 60")
      ->check(CLI::Range(1, kDay));
  add_option(verb, "--idle-timeout", limits.idle_seconds,
             "seconds between two requests of a connection; default 75")
      ->check(CLI::Range(1, kDay));
  add_option(verb, "--queue-timeout", limits.queue_seconds,
             "seconds that a request may wait before it gets 503; default 60")
      ->check(CLI::Range(1, kDay));
  add_option(verb, "--stop-timeout", limits.stop_seconds,
             "seconds in which running requests must finish after SIGTERM; default 30")
      ->check(CLI::Range(0, kDay));
}

constexpr const char* kServeExamples = R"(  contrastive serve --model DIR
  contrastive serve --model DIR --corpus texts.txt --port 8080      a search page at 127.0.0.1:8080
  contrastive serve --model DIR --host 0.0.0.0 --api-key-file keys.txt
  curl -s http://127.0.0.1:8000/v1/embeddings -d '{"input": ["A man eats.", "Someone has a meal."]}'
  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=any python program.py

Routes: POST /v1/embeddings /similarity /search /tokenize; GET /v1/models /health /ready /info
/metrics /openapi.json and / (a page).
After SIGTERM or SIGINT the server finishes the running requests and ends. SIGHUP reads the model,
the corpus and the keys again without dropping a request.
Keys: one a line in --api-key-file, or one in CONTRASTIVE_API_KEY. No option takes a key, because
every user of the machine can read arguments. /health, /ready, /openapi.json and the page need no
key. They reveal nothing about the texts; /openapi.json names the model's dimension and prompts.
The server speaks plain HTTP, on loopback unless --host says otherwise. For TLS, put a proxy in
front of it (nginx, Caddy, ...).)";

}  // namespace

void add_serve(CLI::App& program, Common& common) {
  static serve::ServeSettings settings;
  CLI::App* verb =
      add_verb(program, "serve", "Serve a model over HTTP, to OpenAI's clients and others",
               kServeExamples, common,
               [&] { run(settings, common, *program.get_subcommand("serve")); });
  add_model_options(verb, settings.model);
  add_option(verb, "--host", settings.host, "address to listen on; default 127.0.0.1");
  add_option(verb, "--port", settings.port,
             "port to listen on; 0 takes a free one and prints it; default 8000")
      ->check(CLI::Range(0, 65535));
  add_option(verb, "--model-name", settings.model_name,
             "name of the model in answers; default: its folder's name");
  add_option(verb, "--corpus", settings.corpus,
             "txt, tsv or jsonl: the texts that /search goes through; embedded at the start");
  add_option(
      verb, "--embeddings", settings.embeddings,
      ".npy of the corpus, as `contrastive encode` wrote it with the same model and options");
  add_option(verb, "--format", settings.rows.format,
             "txt, tsv or jsonl; default: by the corpus' name, else its first line")
      ->check(CLI::IsMember({"auto", "txt", "tsv", "jsonl"}));
  settings.column.add_to(verb, "column of the corpus' text");
  add_option(verb, "--query-prompt-name", settings.query_prompt,
             "one of the model's own prompts, for the queries of /search");
  add_metric_option(verb, settings.metric);
  add_option(
      verb, "--api-key-file", settings.api_key_file,
      "file of keys, one a line; a request needs one of them; default: requests need no key");
  add_option(
      verb, "--allow-origin", settings.origins,
      "other origins whose pages may send requests and read the answers: https://site.example,...")
      ->delimiter(',');
  add_limits(verb, settings.limits);
  add_embed_options(verb, settings.embed);
}

}  // namespace contrastive::cli
