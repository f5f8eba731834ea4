// POST /tokenize: the tokens of texts, their positions, and which of them the model reads.
#include <utility>

#include "capi/program/failure.h"
#include "capi/program/line_tokenizer.h"
#include "capi/program/serve/fields.h"
#include "capi/program/serve/service.h"

namespace contrastive::cli::serve {
namespace {

constexpr int64_t kTokenChars = 40;     // of an id and two offsets, with commas and brackets
constexpr int64_t kTokenizerBytes = 6;  // of a LineTokenizer with offsets, for a byte of the text

// Appends "[a,b,c]", where `append_item(i)` appends each item.
template <class AppendItem>
void append_list(std::string& body, size_t count, AppendItem&& append_item) {
  body += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) body += ',';
    append_item(i);
  }
  body += ']';
}

}  // namespace

void serve_tokenize(Service& service, const Exchange& exchange) {
  const std::shared_ptr<const Engine> engine = service.engine();
  Fields fields(std::move(exchange.request().body), service.settings().limits.texts);
  Share& memory = *exchange.request().memory;
  int64_t room = service.settings().limits.listed_tokens;
  LineTokenizer tokenizer(engine->model(), 0, true);
  Answer answer;
  std::string& body = answer.body;
  const std::vector<std::string> texts = fields.take_texts("input");
  body += R"({"results":)";
  append_list(body, texts.size(), [&](size_t t) {
    const std::string& text = texts[t];
    const int32_t kept = engine->count_tokens(text);
    const int64_t count = tokenizer.count(text);
    room -= count;
    if (room < 0) {
      throw Refusal(422, "too_many_tokens",
                    "the texts have more tokens than the " +
                        std::to_string(service.settings().limits.listed_tokens) +
                        " that one answer lists: send several requests",
                    "input");
    }
    memory.require(static_cast<int64_t>(text.size()) * kTokenizerBytes + count * kTokenChars +
                   kFrameChars);
    const Tokens& found = tokenizer.tokenize(text);
    const size_t n = found.ids.size();
    body += R"({"ids":)";
    append_list(body, n, [&](size_t i) { body += std::to_string(found.ids[i]); });
    body += R"(,"tokens":)";
    append_list(body, n, [&](size_t i) {
      const std::string token = quoted(token_text(engine->model(), found.ids[i]));
      memory.require(static_cast<int64_t>(token.size()) + 1);
      body += token;
    });
    body += R"(,"offsets":)";
    append_list(body, n, [&](size_t i) {
      body += "[" + std::to_string(found.begins[i]) + "," + std::to_string(found.ends[i]) + "]";
    });
    body += R"(,"count":)" + std::to_string(count) + R"(,"kept":)" + std::to_string(kept) + "}";
  });
  body += R"(,"max_length":)" + std::to_string(engine->max_length()) + "}\n";
  exchange.answer(std::move(answer));
}

}  // namespace contrastive::cli::serve
