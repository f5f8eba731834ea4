#include "core/text/normalizer_json.h"

#include "core/base/base64.h"
#include "core/base/error.h"
#include "core/text/byte_stand_ins.h"
#include "core/text/charsmap.h"
#include "core/text/composition.h"
#include "core/text/edges.h"
#include "core/text/replacement.h"

namespace contrastive::text {
namespace {

using Steps = std::vector<NormalizerStep>;

Steps bert_normalizer(const JsonObject& object) {
  const bool lowercase = object.boolean("lowercase", true);
  return bert_steps(object.boolean("clean_text", true),
                    object.boolean("handle_chinese_chars", true),
                    object.boolean("strip_accents", lowercase), lowercase);
}

// The steps of a part that works on single characters; none for any other part.
Steps read_steps(const JsonObject& object, const std::string& type) {
  if (type == "BertNormalizer") return bert_normalizer(object);
  if (type == "Lowercase") return {NormalizerStep::kLowerCase};
  if (type == "NFD") return {NormalizerStep::kDecompose};
  if (type == "NFKD") return {NormalizerStep::kDecomposeCompatibly};
  if (type == "StripAccents") return {NormalizerStep::kDropMarks};
  if (type == "Nmt") return {NormalizerStep::kNmt};
  return {};
}

// The text that a stage inserts, possibly at each character.
std::string read_inserted(const JsonObject& object, const char* key) {
  constexpr size_t kMostBytes = 1024;
  const std::string text = object.string(key);
  check(text.size() <= kMostBytes, Status::kLimit, object.source(), ": ", key, " has ", text.size(),
        " bytes, above the limit of ", kMostBytes);
  return text;
}

std::shared_ptr<const NormalizerStage> read_stage(const JsonObject& object,
                                                  const std::string& type) {
  if (type == "NFC" || type == "NFKC") return std::make_shared<Composition>(type == "NFKC");
  if (type == "Precompiled") {
    const std::string source = object.source() + ": precompiled_charsmap";
    return std::make_shared<Charsmap>(decode_base64(object.string("precompiled_charsmap"), source),
                                      source);
  }
  if (type == "Replace")
    return std::make_shared<Replacement>(read_pattern(object), read_inserted(object, "content"));
  if (type == "Prepend") return std::make_shared<Prepend>(read_inserted(object, "prepend"));
  if (type == "Append") return std::make_shared<Append>(read_inserted(object, "append"));
  if (type == "ByteLevel") return std::make_shared<ByteStandIns>();
  if (type == "Strip")
    return std::make_shared<Strip>(object.boolean("strip_left", true),
                                   object.boolean("strip_right", true));
  fail(Status::kUnsupported, object.source(), " is of type ", type,
       "; known are BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, StripAccents, "
       "Precompiled, Replace, Prepend, Append, Strip and Sequence");
}

class StageReader {
 public:
  void read(const Json& value, const std::string& source) {
    const JsonObject object(value, source);
    const std::string type = object.string("type");
    if (type == "Sequence") {
      const Json& parts = object.at("normalizers");
      check(parts.is_array(), Status::kFormat, source, ": normalizers must be a list");
      for (size_t i = 0; i < parts.size(); ++i)
        read(parts[i], cat(source, ".normalizers[", i, "]"));
      return;
    }
    const Steps steps = read_steps(object, type);
    if (!steps.empty()) {
      steps_.insert(steps_.end(), steps.begin(), steps.end());
    } else if (type != "BertNormalizer") {  // a part that does nothing is not a stage
      end_steps();
      stages_.push_back(read_stage(object, type));
    }
  }

  NormalizerChain::Stages finish() {
    end_steps();
    return std::move(stages_);
  }

 private:
  // Consecutive steps make one stage: a single pass over the text.
  void end_steps() {
    if (!steps_.empty()) stages_.push_back(std::make_shared<CharacterStage>(std::move(steps_)));
    steps_.clear();
  }

  Steps steps_;
  NormalizerChain::Stages stages_;
};

}  // namespace

NormalizerChain::Stages read_normalizer(const Json& value, const std::string& source) {
  constexpr size_t kMostStages = 64;
  StageReader reader;
  reader.read(value, source);
  NormalizerChain::Stages stages = reader.finish();
  check(stages.size() <= kMostStages, Status::kLimit, source, " has ", stages.size(),
        " stages, above the limit of ", kMostStages);
  return stages;
}

std::shared_ptr<const Pattern> read_pattern(const JsonObject& object) {
  const JsonObject pattern(object.at("pattern"), object.source() + ".pattern");
  const bool is_regex = pattern.has("Regex");
  const std::string written = pattern.string(is_regex ? "Regex" : "String");
  check(!written.empty(), Status::kUnsupported, pattern.source(), " is empty");
  return is_regex ? expression_pattern(written, pattern.source()) : literal_pattern(written);
}

}  // namespace contrastive::text
