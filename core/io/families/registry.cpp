// The list of families, one per line. core/io/families/<noun>.cpp defines <noun>_family().
#define CONTRASTIVE_FAMILIES(FAMILY) \
  FAMILY(bert)                       \
  FAMILY(roberta)                    \
  FAMILY(xlm_roberta)                \
  FAMILY(camembert)                  \
  FAMILY(mpnet)                      \
  FAMILY(distilbert)                 \
  FAMILY(electra)                    \
  FAMILY(albert)                     \
  FAMILY(ernie)                      \
  FAMILY(nomic_bert)                 \
  FAMILY(gte)                        \
  FAMILY(modernbert)                 \
  FAMILY(jina_bert)                  \
  FAMILY(qwen3)                      \
  FAMILY(gemma3)                     \
  FAMILY(t5)

#include "core/base/error.h"
#include "core/io/families/family.h"

namespace contrastive::io {

#define DECLARE(noun) Family noun##_family();
#define ENTRY(noun) noun##_family(),

CONTRASTIVE_FAMILIES(DECLARE)

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies = {CONTRASTIVE_FAMILIES(ENTRY)};
  return kFamilies;
}

#undef DECLARE
#undef ENTRY
#undef CONTRASTIVE_FAMILIES

std::string own_code(const JsonObject& config) {
  if (!config.has("auto_map")) return "";
  const Json& map = config.at("auto_map");
  const auto found = map.is_object() ? map.find("AutoModel") : map.end();
  return found != map.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string own_class(const JsonObject& config) {
  const std::string code = own_code(config);
  return code.substr(code.rfind('.') + 1);
}

const Family& family_named(const std::string& name) {
  for (const Family& family : families()) {
    if (name == family.name) return family;
  }
  fail(Status::kInternal, "there is no family '", name, "'");
}

}  // namespace contrastive::io
