// POST /v1/embeddings, GET /v1/models and /v1/models/{id}, compatible with OpenAI's clients.
#include "capi/program/serve/fields.h"
#include "capi/program/serve/service.h"
#include "capi/program/serve/target.h"

namespace contrastive::cli::serve {
namespace {

const std::string kModels = "/v1/models/";
constexpr size_t kShownName = 100;  // bytes of an unknown model's name that an error repeats

Json model_object(const std::string& name) {
  return {{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "contrastive"}};
}

}  // namespace

void serve_embeddings(Service& service, const Exchange& exchange) {
  const std::shared_ptr<const Engine> engine = service.engine();
  Fields fields(std::move(exchange.request().body), service.settings().limits.texts);
  std::vector<std::string> texts = fields.take_texts("input");
  const std::string model = fields.word("model", engine->name()),
                    format = fields.word("encoding_format", "float");
  if (format != "float" && format != "base64")
    throw Refusal(400, "invalid_value", "'encoding_format' should be \"float\" or \"base64\"",
                  "encoding_format");
  Manner manner;
  manner.prompt = fields.name("prompt_name", "");
  manner.dimensions = static_cast<int>(fields.number("dimensions", 0, 1, engine->dimension()));
  if (manner.dimensions == engine->dimension())
    manner.dimensions = 0;  // so that it shares batches with requests that do not set it
  const bool base64 = format == "base64";
  const int64_t numbers = static_cast<int64_t>(texts.size()) * engine->dimension(manner);
  const int64_t bytes = numbers * (base64 ? kBase64Chars : kFloatChars) +
                        static_cast<int64_t>(texts.size() + 1) * kFrameChars +
                        static_cast<int64_t>(model.size()) * kQuotedChars;
  service.embed(exchange, engine, manner, std::move(texts), numbers, bytes,
                [model, base64, bytes](const Ticket& ticket) {
                  const auto dimension =
                      static_cast<size_t>(ticket.engine->dimension(ticket.manner));
                  Answer answer;
                  std::string& body = answer.body;
                  body.reserve(static_cast<size_t>(bytes));
                  body = R"({"object":"list","data":[)";
                  for (size_t i = 0; i < ticket.texts.size(); ++i) {
                    body += (i > 0 ? "," : "") + std::string(R"({"object":"embedding","index":)") +
                            std::to_string(i) + R"(,"embedding":)";
                    (base64 ? append_base64
                            : append_floats)(body, &ticket.embeddings[i * dimension], dimension);
                    body += '}';
                  }
                  body += R"(],"model":)" + quoted(model) + R"(,"usage":)" +
                          usage_of(ticket).dump() + "}\n";
                  return answer;
                });
}

void serve_models(Service& service, const Exchange& exchange) {
  exchange.answer(answer_of(
      {{"object", "list"}, {"data", Json::array({model_object(service.engine()->name())})}}));
}

void serve_model(Service& service, const Exchange& exchange) {
  const std::string name = service.engine()->name();
  const std::string asked = percent_decoded(exchange.request().path.substr(kModels.size()));
  if (asked != name && asked != name + "/") {
    throw Refusal(404, "model_not_found",
                  "the model '" + asked.substr(0, kShownName) +
                      "' is not served here: GET /v1/models names the one that is",
                  "model");
  }
  exchange.answer(answer_of(model_object(name)));
}

}  // namespace contrastive::cli::serve
