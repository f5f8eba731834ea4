#include "core/methods/pooling_key.h"

#include "core/base/error.h"

namespace contrastive::methods {

nn::Pooling parse_pooling_key(const std::string& key, const std::string& name, int64_t layers) {
  try {
    return nn::parse_pooling(name, layers);
  } catch (const Error& error) {
    fail(error.status(), "config key '", key, "': ", error.message());
  }
}

}  // namespace contrastive::methods
