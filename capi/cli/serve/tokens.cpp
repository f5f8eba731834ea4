// POST /tokenize: the tokens of texts, their places, and which of them the model sees.
#include <algorithm>

#include "capi/cli/failure.h"
#include "capi/cli/line_tokenizer.h"
#include "capi/cli/serve/fields.h"
#include "capi/cli/serve/routes.h"

namespace contrastive::cli::serve {

void serve_tokenize(Service& service, const Exchange& exchange) {
  const std::shared_ptr<const Engine> engine = service.engine();
  Fields fields(exchange.request().body, service.settings().limits.texts);
  int64_t room = service.settings().limits.listed_tokens;
  LineTokenizer tokenizer(engine->model(), 0, true);
  Json results = Json::array();
  for (const std::string& text : fields.take_texts("input")) {
    const int32_t kept = engine->count_tokens(text);
    const int64_t count = tokenizer.count(text);
    room -= count;
    if (room < 0) {
      throw Refusal(422, "too_many_tokens",
                    "the texts have more tokens than the " + std::to_string(service.settings().limits.listed_tokens) +
                        " that one answer lists: send several requests",
                    "input");
    }
    const Tokens& found = tokenizer.tokenize(text);
    Json tokens = Json::array(), offsets = Json::array();
    for (size_t i = 0; i < found.ids.size(); ++i) {
      tokens.push_back(token_text(engine->model(), found.ids[i]));
      offsets.push_back(Json::array({found.begins[i], found.ends[i]}));
    }
    results.push_back({{"ids", found.ids}, {"tokens", std::move(tokens)}, {"offsets", std::move(offsets)}, {"count", count}, {"kept", kept}});
  }
  exchange.answer(answer_of({{"results", std::move(results)}, {"max_length", engine->max_length()}}));
}

}  // namespace contrastive::cli::serve
