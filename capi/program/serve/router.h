// Which path is whose: finds the route of a request, looks at its key, and answers what cannot be
// served.
#pragma once

#include <optional>
#include <string>

#include "capi/program/serve/service.h"

namespace contrastive::cli::serve {

class Router {
 public:
  explicit Router(Service& service) : service_(service) {}

  // What is wrong with a request whose header alone was read: 404, 405, 401, 403, 415; and the
  // answer to a preflight, which needs no more either.
  std::optional<Answer> refuse(const Request& request) const;
  // Serves a request that was not refused.
  void serve(const Exchange& exchange) const;
  // The route of a path, for the counts: "/v1/models/{id}", or "other" if there is none.
  static std::string route_name(const std::string& path);

 private:
  Service& service_;
};

}  // namespace contrastive::cli::serve
