#include "core/text/pre_tokenizer_json.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/text/normalizer_json.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

SplitBehavior read_behavior(const JsonObject& object, const char* fallback) {
  const std::string name =
      fallback == nullptr ? object.string("behavior") : object.string("behavior", fallback);
  if (name == "Removed") return SplitBehavior::kRemoved;
  if (name == "Isolated") return SplitBehavior::kIsolated;
  if (name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
  check(name == "Contiguous", Status::kUnsupported, object.source(), ": ",
        unknown_name("behavior", name,
                     {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext",
                      "Contiguous"}));
  return SplitBehavior::kContiguous;
}

void check_one_character(const JsonObject& object, const char* key, const std::string& value) {
  size_t at = 0;
  if (!value.empty()) decode_utf8(value, at);
  check(at > 0 && at == value.size(), Status::kFormat, object.source(), ": ", key,
        " must be one character, not '", value, "'");
}

std::shared_ptr<const Splitter> read_metaspace(const JsonObject& object) {
  const std::string replacement = object.string("replacement", "\u2581");
  check_one_character(object, "replacement", replacement);
  // Files from before prepend_scheme have add_prefix_space.
  const bool prefix = object.boolean("add_prefix_space", true);
  const std::string scheme = object.string("prepend_scheme", prefix ? "always" : "never");
  check(scheme == "always" || scheme == "first" || scheme == "never", Status::kUnsupported,
        object.source(), ": ",
        unknown_name("prepend_scheme", scheme, {"always", "first", "never"}));
  check(prefix || scheme == "never", Status::kFormat, object.source(),
        ": add_prefix_space is false, but prepend_scheme is ", scheme);
  using Prepend = MetaspaceSplitter::Prepend;
  const Prepend prepend = scheme == "always"  ? Prepend::kAlways
                          : scheme == "first" ? Prepend::kFirst
                                              : Prepend::kNever;
  return std::make_shared<MetaspaceSplitter>(replacement, prepend, object.boolean("split", true));
}

std::shared_ptr<const Splitter> read_splitter(const JsonObject& object, const std::string& type) {
  if (type == "BertPreTokenizer") return std::make_shared<BertSplitter>();
  if (type == "WhitespaceSplit") return whitespace_split();
  if (type == "Whitespace") return std::make_shared<WordSplitter>();
  if (type == "Digits") return digits_split(object.boolean("individual_digits", false));
  if (type == "Punctuation") return punctuation_split(read_behavior(object, "Isolated"));
  if (type == "Metaspace") return read_metaspace(object);
  if (type == "ByteLevel")
    return std::make_shared<ByteLevelSplitter>(object.boolean("add_prefix_space", true),
                                               object.boolean("use_regex", true));
  if (type == "UnicodeScripts") return std::make_shared<ScriptSplitter>();
  if (type == "FixedLength")
    return std::make_shared<LengthSplitter>(object.integer("length", 1, INT32_MAX, 5));
  if (type == "CharDelimiterSplit") {
    const std::string delimiter = object.string("delimiter");
    check_one_character(object, "delimiter", delimiter);
    return std::make_shared<PatternSplitter>(literal_pattern(delimiter), SplitBehavior::kRemoved,
                                             false);
  }
  if (type == "Split") {
    return std::make_shared<PatternSplitter>(read_pattern(object), read_behavior(object, nullptr),
                                             object.boolean("invert", false));
  }
  fail(Status::kUnsupported, object.source(), " is of type ", type,
       "; known are BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, "
       "Metaspace, Punctuation, Split, UnicodeScripts, Whitespace, "
       "WhitespaceSplit and Sequence");
}

void add_splitters(const Json& value, const std::string& source,
                   PieceTokenizer::Splitters& splitters) {
  const JsonObject object(value, source);
  const std::string type = object.string("type");
  if (type != "Sequence") {
    splitters.push_back(read_splitter(object, type));
    return;
  }
  const Json& parts = object.at("pretokenizers");
  check(parts.is_array(), Status::kFormat, source, ": pretokenizers must be a list");
  for (size_t i = 0; i < parts.size(); ++i)
    add_splitters(parts[i], cat(source, ".pretokenizers[", i, "]"), splitters);
}

}  // namespace

PieceTokenizer::Splitters read_pre_tokenizer(const Json& value, const std::string& source) {
  PieceTokenizer::Splitters splitters;
  add_splitters(value, source, splitters);
  constexpr size_t kMostSplitters = 64;
  check(splitters.size() <= kMostSplitters, Status::kLimit, source, " has ", splitters.size(),
        " parts, above the limit of ", kMostSplitters);
  const auto byte_level = [](const auto& splitter) {
    return dynamic_cast<const ByteLevelSplitter*>(splitter.get()) != nullptr;
  };
  check(std::count_if(splitters.begin(), splitters.end(), byte_level) <= 1, Status::kUnsupported,
        source, ": ByteLevel appears twice, which would write each byte of a text as several");
  return splitters;
}

}  // namespace contrastive::text
