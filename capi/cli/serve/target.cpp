#include "capi/cli/serve/target.h"

#include <strings.h>

namespace contrastive::cli::serve {
namespace {

std::string without_query(const std::string& target) { return target.substr(0, target.find('?')); }

// How long "http://" or "https://" at the beginning is; 0 where there is neither.
size_t scheme_length(const std::string& text) {
  for (const std::string scheme : {"http://", "https://"}) {
    if (strncasecmp(text.c_str(), scheme.c_str(), scheme.size()) == 0) return scheme.size();
  }
  return 0;
}

}  // namespace

Target target_of(const std::string& text) {
  const size_t scheme = scheme_length(text);
  if (scheme == 0) return {without_query(text), "", true};
  const std::string rest = without_query(text.substr(scheme));
  const size_t slash = rest.find('/');
  Target target;
  target.authority = rest.substr(0, slash);
  target.path = slash == std::string::npos ? "/" : rest.substr(slash);
  target.valid = !target.authority.empty() && target.authority[0] != ':' && target.authority.find('@') == std::string::npos;
  return target;
}

}  // namespace contrastive::cli::serve
