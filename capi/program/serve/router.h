// Finds the route of a request, checks its key, and answers requests that cannot be served.
#pragma once

#include <optional>
#include <string>

#include "capi/program/serve/service.h"

namespace contrastive::cli::serve {

class Router {
 public:
  explicit Router(Service& service) : service_(service) {}

  // Checks a request whose header was read. Returns the error answer (404, 405, 401, 403, 415), or
  // the answer to a preflight, which needs no body either.
  std::optional<Answer> refuse(const Request& request) const;
  // Serves a request that was not refused.
  void serve(const Exchange& exchange) const;
  // The route of a path, for the metrics: "/v1/models/{id}", or "other" if no route has this path.
  static std::string route_name(const std::string& path);
  // Whether the route of a path always takes long, so that serve() belongs on a worker.
  static bool is_slow(const std::string& path);

 private:
  Service& service_;
};

}  // namespace contrastive::cli::serve
