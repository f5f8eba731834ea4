#include "capi/program/serve/fields.h"

#include <cmath>
#include <set>
#include <utility>

#include "capi/program/serve/answer.h"

namespace contrastive::cli::serve {
namespace {

constexpr int kMaxRequestDepth = 16;
constexpr size_t kShownKey = 100;  // bytes of a key that an error repeats
constexpr size_t kMaxName = 4096;  // bytes of a name
// Values in addition to the texts: keys and their values, and some texts above the limit, so that
// the error can say how many there are.
constexpr int64_t kOtherValues = 1000;
constexpr const char* kTokenArrays = "holds token ids; this server takes texts, because it "
                                     "uses the model's tokenizer: make the client send texts "
                                     "(LangChain: check_embedding_ctx_length=False)";

Refusal bad_field(const std::string& name, const std::string& complaint) {
  return {400, "invalid_value", "'" + name + "' " + complaint, name};
}

// Whether the input is token ids, which OpenAI also accepts: [1, 2], or [[1, 2], [3]].
bool is_tokens(const nlohmann::json& item) {
  return item.is_number() || (item.is_array() && (item.empty() || item.front().is_number()));
}

}  // namespace

Fields::Fields(std::string body, int most_texts) : most_texts_(most_texts) {
  const int64_t most = 2 * int64_t{most_texts} + kOtherValues;
  int64_t values = 0;
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> keys;  // of the objects around the current value
  const auto limit = [&](int depth, Event event, nlohmann::json& item) {
    if (++values > most) {
      if (item.is_number()) throw bad_field("input", kTokenArrays);
      throw Refusal(422, "too_many_texts",
                    "the JSON holds more than " + std::to_string(most) +
                        " values, and this server takes " + std::to_string(most_texts) +
                        " texts in one request: send several requests");
    }
    if (depth > kMaxRequestDepth)
      throw Refusal(400, "invalid_json",
                    "the JSON is nested deeper than " + std::to_string(kMaxRequestDepth) +
                        " levels");
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(item.get<std::string>()).second) {
      throw Refusal(400, "invalid_json",
                    "the key " + quoted(item.get<std::string>().substr(0, kShownKey)) +
                        " appears twice in one object");
    }
    return true;
  };
  if (body.empty())
    throw Refusal(400, "invalid_json",
                  "the body is empty: a JSON object is needed, such as {\"input\": \"a text\"}");
  try {
    object_ = nlohmann::json::parse(body, limit);
  } catch (const nlohmann::json::exception& problem) {
    const auto* const place = dynamic_cast<const nlohmann::json::parse_error*>(&problem);
    const std::string where = place != nullptr ? " (byte " + std::to_string(place->byte) + ")" : "";
    throw Refusal(400, "invalid_json",
                  "the body is not JSON in UTF-8" + where +
                      ": a JSON object is needed, such as {\"input\": \"a text\"}");
  }
  if (!object_.is_object())
    throw Refusal(400, "invalid_json",
                  "the body is JSON, but not an object: it should begin with {");
}

const nlohmann::json& Fields::value(const std::string& name) const {
  static const nlohmann::json kNone;
  const auto found = object_.find(name);
  return found == object_.end() ? kNone : *found;
}

bool Fields::has(const std::string& name) const { return !value(name).is_null(); }

std::string Fields::word(const std::string& name, const std::string& standard) const {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return standard;
  if (!field.is_string()) throw bad_field(name, "should be a string");
  return field.get<std::string>();
}

std::string Fields::name(const std::string& name, const std::string& standard) const {
  std::string text = word(name, standard);
  if (text.find('\0') != std::string::npos) throw bad_field(name, "holds a NUL, which no name has");
  if (text.size() > kMaxName)
    throw bad_field(name, "is longer than the " + std::to_string(kMaxName) + " bytes of a name");
  return text;
}

int64_t Fields::number(const std::string& name, int64_t standard, int64_t lowest,
                       int64_t highest) const {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return standard;
  const std::string range =
      "should be a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest);
  if (field.is_number_float()) {
    const auto real = field.get<double>();
    if (real != std::floor(real) || real < static_cast<double>(lowest) ||
        real > static_cast<double>(highest))
      throw bad_field(name, range);
    return static_cast<int64_t>(real);
  }
  if (!field.is_number_integer()) throw bad_field(name, range);
  const bool beyond =
      field.is_number_unsigned() && field.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
  const int64_t number = beyond ? INT64_MAX : field.get<int64_t>();
  if (number < lowest || number > highest) throw bad_field(name, range);
  return number;
}

std::vector<std::string> Fields::take_texts(const std::string& name, bool* single) {
  const auto found = object_.find(name);
  if (found == object_.end() || found->is_null())
    throw bad_field(name, "is missing: a string or a list of strings is needed");
  nlohmann::json& field = *found;
  std::vector<std::string> texts;
  if (single != nullptr) *single = field.is_string();
  if (field.is_string()) {
    texts.push_back(std::move(field.get_ref<std::string&>()));
    return texts;
  }
  if (!field.is_array()) throw bad_field(name, "should be a string or a list of strings");
  if (field.empty()) throw bad_field(name, "is an empty list: at least one text is needed");
  if (is_tokens(field.front())) throw bad_field(name, kTokenArrays);
  if (field.size() > static_cast<size_t>(most_texts_)) {
    throw Refusal(422, "too_many_texts",
                  "'" + name + "' holds " + std::to_string(field.size()) +
                      " texts, and this server takes " + std::to_string(most_texts_) +
                      " in one request: send several requests",
                  name);
  }
  texts.reserve(field.size());
  for (nlohmann::json& item : field) {
    if (!item.is_string()) {
      throw bad_field(name, is_tokens(item) ? kTokenArrays
                                            : "holds a value that is not a string, at place " +
                                                  std::to_string(texts.size()));
    }
    texts.push_back(std::move(item.get_ref<std::string&>()));
  }
  return texts;
}

}  // namespace contrastive::cli::serve
