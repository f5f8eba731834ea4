#include "core/vocabulary/learn_vocabulary.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/progress_report.h"
#include "core/data/line_reader.h"
#include "core/io/atomic_folder.h"

namespace contrastive::vocabulary {
namespace {

constexpr const char* kFiles[] = {"vocab.txt", "vocab.json", "merges.txt", "tokenizer.json",
                                  "tokenizer_config.json"};

constexpr std::pair<const char*, const char*> kUnigramRoles[] = {
    {"bos_token", "<s>"},   {"eos_token", "</s>"},  {"cls_token", "<s>"},    {"sep_token", "</s>"},
    {"pad_token", "<pad>"}, {"unk_token", "<unk>"}, {"mask_token", "<mask>"}};

// Replacing a folder deletes what is in it.
void check_replaceable_vocabulary(const std::string& folder) {
  const auto entries = open_entries(folder);
  if (!entries && errno != ENOENT) fail_system(folder, "cannot be listed", errno);
  while (const char* entry = entries ? next_entry(entries.get(), folder) : nullptr) {
    const std::string name = entry;
    bool known = false;
    for (const char* file : kFiles) known = known || name == file;
    check(known, Status::kArgument, folder,
          ": writing the vocabulary replaces the whole folder, and '", name,
          "' in it belongs to no vocabulary: name another folder");
  }
}

Json settings(const VocabularyOptions& options) {
  Json json;
  if (options.learner.kind == text::VocabularyKind::kByteBpe) {
    json["tokenizer_class"] = "RobertaTokenizer";
  } else if (options.learner.kind == text::VocabularyKind::kUnigram) {
    json["tokenizer_class"] = "PreTrainedTokenizerFast";
    for (const auto& [role, token] : kUnigramRoles) json[role] = token;
  } else {
    json["tokenizer_class"] = "BertTokenizer";
    json["do_lower_case"] = options.learner.lowercase;
    json["strip_accents"] = options.learner.strip_accents;
    json["tokenize_chinese_chars"] = true;
  }
  json["model_max_length"] = options.max_length;
  return json;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Json part(const char* type) {
  Json json;
  json["type"] = type;
  return json;
}

Json row(const char* list, const Json& parts) {
  Json json = part("Sequence");
  json[list] = parts;
  return json;
}

// How the learner normalises a text, in the names of tokenizer.json.
Json unigram_normalizer(const text::VocabularyLearnerOptions& learner) {
  Json parts = Json::array({part("Nmt"), part("NFKD")});
  if (learner.strip_accents) parts.push_back(part("StripAccents"));
  if (learner.lowercase) parts.push_back(part("Lowercase"));
  parts.push_back(part("NFC"));
  return row("normalizers", parts);
}

// RoBERTa's template: <s> A </s>, and <s> A </s> </s> B </s>.
Json unigram_template(const std::vector<std::string>& tokens) {
  Json json = part("TemplateProcessing");
  const auto item = [](const char* kind, const std::string& id) {
    Json inner;
    inner["id"] = id;
    inner["type_id"] = 0;
    Json outer;
    outer[kind] = inner;
    return outer;
  };
  const Json begin = item("SpecialToken", "<s>"), end = item("SpecialToken", "</s>"),
             a = item("Sequence", "A"), b = item("Sequence", "B");
  json["single"] = Json::array({begin, a, end});
  json["pair"] = Json::array({begin, a, end, end, b, end});
  for (const char* name : {"<s>", "</s>"}) {
    Json& token = json["special_tokens"][name];
    token["id"] = name;
    token["ids"] = Json::array({std::find(tokens.begin(), tokens.end(), name) - tokens.begin()});
    token["tokens"] = Json::array({name});
  }
  return json;
}

std::string unigram_json(const VocabularyOptions& options, const text::LearntVocabulary& learnt,
                         const Cancel* cancel) {
  const std::vector<std::string>& specials =
      text::VocabularyLearner::special_tokens(options.learner.kind);
  Json json;
  json["version"] = "1.0";
  json["truncation"] = nullptr;
  json["padding"] = nullptr;
  for (size_t id = 0; id < specials.size(); ++id) {
    Json token;
    token["id"] = id;
    token["content"] = specials[id];
    token["single_word"] = token["rstrip"] = token["normalized"] = false;
    token["lstrip"] = specials[id] == "<mask>";
    token["special"] = true;
    json["added_tokens"].push_back(token);
  }
  json["normalizer"] = unigram_normalizer(options.learner);
  Json metaspace = part("Metaspace");
  metaspace["replacement"] = "\u2581";
  metaspace["prepend_scheme"] = "always";
  metaspace["split"] = true;
  json["pre_tokenizer"] = row("pretokenizers", Json::array({part("WhitespaceSplit"), metaspace}));
  json["post_processor"] = unigram_template(learnt.tokens);
  json["decoder"] = metaspace;
  Json model = part("Unigram");
  model["unk_id"] = std::find(specials.begin(), specials.end(), "<unk>") - specials.begin();
  model["vocab"] = Json::array();
  for (size_t id = 0; id < learnt.tokens.size(); ++id) {
    throw_if_cancelled(cancel);
    model["vocab"].push_back(Json::array({learnt.tokens[id], learnt.scores[id]}));
  }
  model["byte_fallback"] = false;
  json["model"] = model;
  return json.dump() + "\n";
}

void write_files(io::AtomicFolder& folder, const VocabularyOptions& options,
                 const text::LearntVocabulary& learnt, const Cancel* cancel) {
  folder.write_file("tokenizer_config.json", settings(options).dump(2) + "\n");
  if (options.learner.kind == text::VocabularyKind::kWordPiece) {
    folder.write_file("vocab.txt", join_lines(learnt.tokens));
    return;
  }
  if (options.learner.kind == text::VocabularyKind::kUnigram) {
    folder.write_file("tokenizer.json", unigram_json(options, learnt, cancel));
    return;
  }
  // Written as text: every new key of a Json object is compared with all others.
  std::string vocabulary = "{";
  for (size_t id = 0; id < learnt.tokens.size(); ++id) {
    vocabulary += (id == 0 ? "" : ",") + Json(learnt.tokens[id]).dump() + ":" + std::to_string(id);
  }
  folder.write_file("vocab.json", vocabulary + "}\n");
  std::string merges = "#version: 0.2\n";
  for (const auto& [left, right] : learnt.merges) merges += left + " " + right + "\n";
  folder.write_file("merges.txt", merges);
}

}  // namespace

void VocabularyOptions::visit(OptionVisitor& v) {
  v.choice("kind", learner.kind,
           {{"wordpiece", text::VocabularyKind::kWordPiece},
            {"byte-bpe", text::VocabularyKind::kByteBpe},
            {"unigram", text::VocabularyKind::kUnigram}},
           "wordpiece: as in BERT; byte-bpe: as in RoBERTa, without unknown characters; unigram: "
           "SentencePiece's, as in XLM-R and T5");
  v.integer("size", learner.size, between(1, 1e6),
            OptionDoc("number of tokens, including the special ones and the alphabet")
                .source("BERT: 30,522; RoBERTa: 50,265")
                .unit("tokens"));
  v.integer("min_frequency", learner.min_frequency, between(1, 1e12),
            OptionDoc("how often two tokens must be adjacent to become one token; unigram: how "
                      "often a piece must occur in the texts")
                .unit("times"));
  v.integer("alphabet_limit", learner.alphabet_limit, between(1, 1e6),
            OptionDoc("wordpiece, unigram: number of most frequent characters to keep; a rarer one "
                      "is unknown, and with wordpiece so is its whole word")
                .unit("characters"));
  v.flag("lowercase", learner.lowercase,
         OptionDoc("wordpiece, unigram: texts are lower-cased").source("BERT uncased"));
  v.flag("strip_accents", learner.strip_accents,
         OptionDoc("wordpiece, unigram: accents are removed").source("BERT uncased"));
  v.integer("max_length", max_length, between(2, 1 << 20),
            OptionDoc("maximum length of a text in the tokenizer's settings").unit("tokens"));
}

void VocabularyOptions::validate(const Config& config) const {
  if (learner.kind != text::VocabularyKind::kByteBpe) return;
  for (const char* key : {"alphabet_limit", "lowercase", "strip_accents"}) {
    check(!config.has(key), Status::kArgument, "config key '", key,
          "' goes with kind = wordpiece or unigram only");
  }
}

void learn_vocabulary(const std::string& input, const std::string& output,
                      const VocabularyOptions& options, const Cancel* cancel) {
  data::LineReader reader(input, cancel);
  // Before the work, so that an output that cannot be written fails at once.
  io::AtomicFolder folder(output, check_replaceable_vocabulary);
  text::VocabularyLearner learner(options.learner);
  int64_t too_long = 0;
  ProgressReport progress(cancel, 0, "lines read");
  reader.scan([&](const data::Line& line) {
    throw_if_cancelled(cancel);
    progress.add(1);
    line.too_long ? static_cast<void>(++too_long) : learner.add(line.text);
  });
  progress.end();
  if (too_long > 0) log_warning(input, ": ", too_long, " lines are too long and were left out");
  check(learner.words() > 0, Status::kArgument, input,
        ": no text in it to learn a vocabulary from");
  const text::LearntVocabulary learnt = learner.learn(cancel);
  if (static_cast<int64_t>(learnt.tokens.size()) < options.learner.size) {
    log_warning("the texts give ", learnt.tokens.size(), " tokens only, not ", options.learner.size,
                ": no further pair is frequent enough");
  }
  write_files(folder, options, learnt, cancel);
  throw_if_cancelled(cancel);
  folder.commit();
}

}  // namespace contrastive::vocabulary
