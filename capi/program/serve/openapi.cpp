#include "capi/program/serve/openapi.h"

#include "capi/program/failure.h"
#include "capi/program/serve/answer.h"
#include "capi/program/serve/engine.h"
#include "capi/program/serve/pages.h"

namespace contrastive::cli::serve {

std::string describe(const Engine& engine, int most_texts) {
  Json document = Json::parse(kOpenApi);
  document["info"]["version"] = cs_version();
  Json& schemas = document["components"]["schemas"];
  schemas["Dimensions"]["maximum"] = engine.dimension();
  schemas["Texts"]["oneOf"][1]["maxItems"] = most_texts;
  Json names = Json::array({nullptr});
  const Json details = Json::parse(engine.info());
  for (const auto& prompt : details.at("prompts").items()) names.push_back(prompt.key());
  schemas["PromptName"]["enum"] = std::move(names);
  return answer_of(document).body;
}

}  // namespace contrastive::cli::serve
