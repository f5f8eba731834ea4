#include "core/io/vocabulary_json.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"

namespace contrastive::io {
namespace {

constexpr int kMaxDepth = 64;

// Follows the parser's events and takes the vocabulary and the merges out of the document. `depth`
// of an event is the number of open containers around it.
class Extractor {
 public:
  using Path = std::vector<std::string>;
  // Paths are the keys that lead to a container. The empty path means the document itself for the
  // vocabulary, and nothing for the merges.
  Extractor(Path vocabulary_path, Path merges_path, const std::string& source, VocabularyJson& out)
      : vocabulary_path_(std::move(vocabulary_path)), merges_path_(std::move(merges_path)),
        source_(source), out_(out) {}

  // True if the parser must keep the value that it has just read.
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    check(depth <= kMaxDepth, Status::kLimit, source_, ": JSON nested deeper than ", kMaxDepth);
    const auto level = static_cast<size_t>(depth);
    if (event == Json::parse_event_t::object_start) seen_.resize(level + 1), seen_[level].clear();
    if (event == Json::parse_event_t::key) return key(level, parsed.get_ref<const std::string&>());
    if (in_vocabulary(level)) return entry(event, parsed);
    if (in_list(level)) return item(event, parsed);
    if (in_merges(level)) return merge(event, parsed);
    return true;
  }

 private:
  bool key(size_t level, const std::string& name) {
    keys_.resize(level - 1);
    keys_.push_back(name);
    if (in_vocabulary(level)) return false;  // the vocabulary checks for duplicate tokens
    check(seen_[level - 1].insert(name).second, Status::kFormat, source_, ": the key '", name,
          "' appears twice in one object");
    return true;
  }

  // Directly inside the container at `path`.
  bool inside(const Path& path, size_t level) const {
    return level == path.size() + 1 && keys_.size() >= path.size() &&
           std::equal(path.begin(), path.end(), keys_.begin());
  }
  bool in_vocabulary(size_t level) const {
    return keys_.size() >= level && inside(vocabulary_path_, level);
  }  // the entry's own key is in keys_ too
  bool in_list(size_t level) const {
    return !vocabulary_path_.empty() && keys_.size() < level && inside(vocabulary_path_, level);
  }
  bool in_merges(size_t level) const {
    return !merges_path_.empty() && inside(merges_path_, level);
  }

  bool entry(Json::parse_event_t event, const Json& parsed) {
    const std::string& token = keys_.back();
    check(event == Json::parse_event_t::value && parsed.is_number_integer(), Status::kFormat,
          source_, ": the token '", token, "' needs a whole number as its id");
    const int64_t id = parsed.is_number_unsigned() && parsed.get<uint64_t>() > INT32_MAX
                           ? -1
                           : parsed.get<int64_t>();
    check(static_cast<int64_t>(out_.vocabulary.size()) < kMaxTokenizerEntries, Status::kLimit,
          source_, ": more than ", kMaxTokenizerEntries, " tokens");
    check(id >= 0 && id <= INT32_MAX, Status::kFormat, source_, ": the id of the token '", token,
          "' must be from 0 to ", INT32_MAX, ", not ", dump_ascii(parsed));
    out_.vocabulary.emplace_back(token, static_cast<int32_t>(id));
    return false;
  }

  // ["token", score]
  bool item(Json::parse_event_t event, const Json& parsed) {
    const size_t number = out_.vocabulary.size();
    out_.is_list = true;
    check(static_cast<int64_t>(number) < kMaxTokenizerEntries, Status::kLimit, source_,
          ": more than ", kMaxTokenizerEntries, " tokens");
    if (event == Json::parse_event_t::array_start)
      return true;  // the end event has the token and the score
    check(event == Json::parse_event_t::array_end && parsed.is_array() && parsed.size() == 2 &&
              parsed[0].is_string() && parsed[1].is_number(),
          Status::kFormat, source_, ": item ", number,
          " of the vocabulary is not a token and a number");
    out_.vocabulary.emplace_back(parsed[0].get<std::string>(), static_cast<int32_t>(number));
    out_.scores.push_back(parsed[1].get<double>());
    return false;
  }

  bool merge(Json::parse_event_t event, const Json& parsed) {
    const auto number = static_cast<int64_t>(out_.merges.size()) + 1;
    check(number <= kMaxTokenizerEntries, Status::kLimit, source_, ": more than ",
          kMaxTokenizerEntries, " merges");
    if (event == Json::parse_event_t::array_start) return true;  // the end event has the strings
    if (event == Json::parse_event_t::value && parsed.is_string()) {
      out_.merges.push_back(parse_merge(parsed.get_ref<const std::string&>(), source_, number));
      return false;
    }
    check(event == Json::parse_event_t::array_end && parsed.is_array() && parsed.size() == 2 &&
              parsed[0].is_string() && parsed[1].is_string(),
          Status::kFormat, source_, ": merge ", number, " is not a pair of tokens");
    out_.merges.emplace_back(parsed[0].get<std::string>(), parsed[1].get<std::string>());
    return false;
  }

  Path vocabulary_path_, merges_path_;
  const std::string& source_;
  VocabularyJson& out_;
  std::vector<std::string> keys_;  // the last key read in each open object, outermost first
  std::vector<std::set<std::string>> seen_;  // of every open object
};

VocabularyJson parse(std::string_view text, const std::string& source,
                     Extractor::Path vocabulary_path, Extractor::Path merges_path) {
  check(static_cast<int64_t>(text.size()) <= kMaxTokenizerBytes, Status::kLimit, source, ": ",
        text.size(), " bytes of JSON, above the limit of ", kMaxTokenizerBytes);
  // The parser treats a NUL as the end of its input and would ignore what follows.
  check(text.find('\0') == std::string_view::npos, Status::kFormat, source,
        ": not valid JSON: a NUL character");
  VocabularyJson result;
  Extractor extractor(std::move(vocabulary_path), std::move(merges_path), source, result);
  const Json::parser_callback_t callback = [&](int depth, Json::parse_event_t event, Json& parsed) {
    return extractor(depth, event, parsed);
  };
  try {
    result.rest = Json::parse(text.begin(), text.end(), callback);
  } catch (const Json::parse_error& error) {
    fail(Status::kFormat, source, ": not valid JSON at byte ", error.byte, ": ", error.what());
  } catch (const Json::exception& error) {
    fail(Status::kFormat, source, ": not valid JSON: ", error.what());
  }
  check(result.rest.is_object(), Status::kFormat, source, ": a JSON object is needed");
  return result;
}

}  // namespace

VocabularyJson parse_tokenizer_json(std::string_view text, const std::string& source) {
  return parse(text, source, {"model", "vocab"}, {"model", "merges"});
}

VocabularyJson parse_vocabulary_json(std::string_view text, const std::string& source) {
  return parse(text, source, {}, {});
}

std::pair<std::string, std::string> parse_merge(const std::string& line, const std::string& source,
                                                int64_t number) {
  const size_t space = line.find(' ');
  check(space != std::string::npos && space > 0 && space + 1 < line.size() &&
            line.find(' ', space + 1) == std::string::npos,
        Status::kFormat, source, ": merge ", number, " ('", line.substr(0, 40),
        "') is not two tokens with one space between them");
  return {line.substr(0, space), line.substr(space + 1)};
}

}  // namespace contrastive::io
