#include "core/torch/methods/pooling_key.h"

#include "core/base/named_by_key.h"

namespace contrastive::methods {

encoder::Pooling parse_pooling_key(const std::string& key, const std::string& name,
                                   int64_t layers) {
  return named_by_key(key, [&] { return encoder::parse_pooling(name, layers); });
}

}  // namespace contrastive::methods
