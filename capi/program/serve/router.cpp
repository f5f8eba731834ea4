#include "capi/program/serve/router.h"

#include "capi/program/serve/origin.h"

// One line for each route: its method, its path ("{id}" at its end matches any text), its
// properties, and NOUN if serve_NOUN() serves it. That function answers the exchange, now or later;
// what it throws is the answer too.
#define CONTRASTIVE_ROUTES(ROUTE)                      \
  ROUTE(POST, "/v1/embeddings", kOrdinary, embeddings) \
  ROUTE(GET, "/v1/models", kOrdinary, models)          \
  ROUTE(GET, "/v1/models/{id}", kOrdinary, model)      \
  ROUTE(POST, "/similarity", kOrdinary, similarity)    \
  ROUTE(POST, "/search", kOrdinary, search)            \
  ROUTE(POST, "/tokenize", kSlow, tokenize)            \
  ROUTE(GET, "/health", kOpen, health)                 \
  ROUTE(GET, "/ready", kOpen, ready)                   \
  ROUTE(GET, "/info", kOrdinary, info)                 \
  ROUTE(GET, "/metrics", kOrdinary, metrics)           \
  ROUTE(GET, "/openapi.json", kOpen, openapi)          \
  ROUTE(GET, "/", kOpen, page)

namespace contrastive::cli::serve {

#define DECLARE(method, path, properties, noun) \
  void serve_##noun(Service& service, const Exchange& exchange);
#define ENTRY(method, path, properties, noun) {#method, path, properties, serve_##noun},

CONTRASTIVE_ROUTES(DECLARE)

namespace {

enum Properties {
  kOrdinary = 0,
  kOpen = 1,  // needs no key
  kSlow = 2,  // never runs on the thread that does the network I/O
};

struct Route {
  const char *method, *path;
  int properties;
  void (*serve)(Service&, const Exchange&);
};

constexpr Route kRoutes[] = {CONTRASTIVE_ROUTES(ENTRY)};

#undef DECLARE
#undef ENTRY
#undef CONTRASTIVE_ROUTES

constexpr size_t kShownPath = 100;  // bytes of an unknown path or origin that an error repeats

// Whether a path matches a route.
bool leads_to(const std::string& path, const std::string& route) {
  const size_t open = route.find('{');
  return open == std::string::npos
             ? path == route
             : path.size() > open && path.compare(0, open, route, 0, open) == 0;
}

// Finds the route of a path. A slash at the end of the path is ignored.
const Route* find_route(std::string path) {
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  for (const Route& route : kRoutes) {
    if (leads_to(path, route.path)) return &route;
  }
  return nullptr;
}

constexpr const char* kWhoDecides = "or use --api-key-file: then only the key counts";

// The answer to a CORS preflight, which tells the browser that a page of another origin may send
// its request. A preflight has no key, even if the request after it will have one.
Answer preflight(const Request& request) {
  Answer answer;
  answer.status = 204;
  answer.type.clear();
  answer.headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, POST");
  answer.headers.emplace_back("Access-Control-Allow-Headers", request.planned_headers.empty()
                                                                  ? "Authorization, Content-Type"
                                                                  : request.planned_headers);
  answer.headers.emplace_back("Access-Control-Max-Age", "600");
  return answer;
}

bool takes(const Route& route, const std::string& method) {
  return method == route.method || (method == "HEAD" && route.method == std::string("GET"));
}

}  // namespace

std::string Router::route_name(const std::string& path) {
  const Route* const route = find_route(path);
  return route != nullptr ? route->path : "other";
}

bool Router::is_slow(const std::string& path) {
  const Route* const route = find_route(path);
  return route != nullptr && (route->properties & kSlow) != 0;
}

std::optional<Answer> Router::refuse(const Request& request) const {
  const std::vector<std::string>& origins = service_.settings().origins;
  if (service_.allows("") && is_loopback(service_.settings().host) &&
      !is_known_host(request.host, origins)) {
    const std::string host = request.host.substr(0, kShownPath);
    return answer_of(Refusal(403, "foreign_host",
                             "'" + host +
                                 "' is not a name of this server: a proxy that passes its own name "
                                 "on needs --allow-origin https://" +
                                 host + ", " + kWhoDecides));
  }
  if (request.method == "OPTIONS" && !request.planned_method.empty() &&
      is_listed(request.origin, origins))
    return preflight(request);
  const Route* const route = find_route(request.path);
  if (route == nullptr) {
    return answer_of(Refusal(404, "unknown_path",
                             "there is no path '" + request.path.substr(0, kShownPath) +
                                 "': GET /openapi.json lists the paths"));
  }
  if (!takes(*route, request.method)) {
    const std::string methods = route->method == std::string("GET") ? "GET, HEAD" : route->method;
    return answer_of(
        Refusal(405, "unknown_method",
                std::string(route->path) + " takes " + methods + ", not " + request.method)
            .allowing(methods));
  }
  if ((route->properties & kOpen) == 0 && !service_.allows(request.authorization)) {
    const std::string why = request.authorization.empty()
                                ? "a key is needed, as header 'Authorization: Bearer KEY'"
                                : "this key is not one of the server's";
    return answer_of(Refusal(401, "invalid_api_key", why));
  }
  if (!request.origin.empty() && service_.allows("") &&
      !may_ask(request.origin, request.host, origins)) {
    return answer_of(Refusal(
        403, "foreign_origin",
        "a page of '" + request.origin.substr(0, kShownPath) +
            "' may not send requests to this server: --allow-origin names pages that may, " +
            kWhoDecides));
  }
  if (request.encoding == Encoding::kUnknown) {
    Answer answer = answer_of(Refusal(415, "unsupported_encoding",
                                      "this server reads bodies with Content-Encoding gzip or "
                                      "identity: send the body as one of them"));
    answer.headers.emplace_back("Accept-Encoding", "gzip");
    return answer;
  }
  return std::nullopt;
}

void Router::serve(const Exchange& exchange) const {
  try {
    Request& request = exchange.request();
    if (request.encoding == Encoding::kGzip) {
      request.body =
          gunzip(request.body, static_cast<size_t>(service_.settings().limits.body_bytes),
                 *request.memory);
    }
    find_route(exchange.request().path)->serve(service_, exchange);
  } catch (...) {
    exchange.answer(answer_of_current_exception());
  }
}

}  // namespace contrastive::cli::serve
