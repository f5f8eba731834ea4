#include "core/methods/registry.h"

#include "core/base/error.h"
#include "core/base/nearest.h"

// A line a method: core/methods/<noun>/<noun>.cpp defines its <noun>_method().
#define CONTRASTIVE_METHODS(METHOD) \
  METHOD(clsr)                      \
  METHOD(consert)                   \
  METHOD(multiple_negatives)        \
  METHOD(sg_opt)                    \
  METHOD(simcse)                    \
  METHOD(clear)                     \
  METHOD(scored)                    \
  METHOD(triplet)                   \
  METHOD(distill)

namespace contrastive::methods {

#define DECLARE(noun) MethodEntry noun##_method();
#define ENTRY(noun) noun##_method(),

CONTRASTIVE_METHODS(DECLARE)

const std::vector<MethodEntry>& all_methods() {
  static const std::vector<MethodEntry> kMethods = {CONTRASTIVE_METHODS(ENTRY)};
  return kMethods;
}

#undef DECLARE
#undef ENTRY
#undef CONTRASTIVE_METHODS

const MethodEntry& find_method(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : all_methods()) {
    if (name == entry.name) return entry;
    names.push_back(entry.name);
  }
  fail(Status::kArgument, "config key 'method': ", unknown_name("method", name, names));
}

}  // namespace contrastive::methods
