#include "capi/program/serve/router.h"

#include "capi/program/serve/origin.h"
#include "capi/program/serve/routes.h"

namespace contrastive::cli::serve {
namespace {

struct Route {
  const char *method, *path;
  bool open;  // needs no key
  void (*serve)(Service&, const Exchange&);
};

constexpr Route kRoutes[] = {
    {"POST", "/v1/embeddings", false, serve_embeddings},
    {"GET", "/v1/models", false, serve_models},
    {"GET", "/v1/models/{id}", false, serve_model},
    {"POST", "/similarity", false, serve_similarity},
    {"POST", "/search", false, serve_search},
    {"POST", "/tokenize", false, serve_tokenize},
    {"GET", "/health", true, serve_health},
    {"GET", "/ready", true, serve_ready},
    {"GET", "/info", false, serve_info},
    {"GET", "/metrics", false, serve_metrics},
    {"GET", "/openapi.json", true, serve_openapi},
    {"GET", "/", true, serve_page},
};

constexpr size_t kShownPath = 100;  // bytes of an unknown path or origin that an error repeats

// Whether a path matches a route. "{id}" at the end of a route matches any text.
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
  if (!route->open && !service_.allows(request.authorization)) {
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
