#include "core/training/vocabulary.h"

#include <cerrno>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/data/line_reader.h"
#include "core/io/atomic_folder.h"

namespace contrastive::training {
namespace {

constexpr const char* kFiles[] = {"vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json"};

// Replacing a folder deletes what is in it.
void check_replaceable_vocabulary(const std::string& folder) {
  const auto entries = open_entries(folder);
  if (!entries && errno != ENOENT) fail_system(folder, "cannot be listed", errno);
  while (const char* entry = entries ? next_entry(entries.get(), folder) : nullptr) {
    const std::string name = entry;
    bool known = false;
    for (const char* file : kFiles) known = known || name == file;
    check(known, Status::kArgument, folder, ": writing the vocabulary replaces the whole folder, and '", name, "' in it is no part of one");
  }
}

Json settings(const VocabularyOptions& options) {
  Json json;
  if (options.trainer.kind == text::VocabularyKind::kByteBpe) {
    json["tokenizer_class"] = "RobertaTokenizer";
  } else {
    json["tokenizer_class"] = "BertTokenizer";
    json["do_lower_case"] = options.trainer.lowercase;
    json["strip_accents"] = options.trainer.strip_accents;
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

void write_files(io::AtomicFolder& folder, const VocabularyOptions& options, const text::LearntVocabulary& learnt) {
  folder.write_file("tokenizer_config.json", settings(options).dump(2) + "\n");
  if (options.trainer.kind == text::VocabularyKind::kWordPiece) {
    folder.write_file("vocab.txt", join_lines(learnt.tokens));
    return;
  }
  // Written out, so that the ids stand in their order; the library's own JSON objects are sorted by key.
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
  v.choice("kind", trainer.kind, {{"wordpiece", text::VocabularyKind::kWordPiece}, {"byte-bpe", text::VocabularyKind::kByteBpe}},
           {"wordpiece: BERT's words and pieces; byte-bpe: RoBERTa's, without unknown characters", "", ""});
  v.integer("size", trainer.size, between(1, 1e6), {"tokens wanted, special ones and alphabet included", "BERT: 30,522; RoBERTa: 50,265", "tokens"});
  v.integer("min_frequency", trainer.min_frequency, between(1, 1e12), {"how often a pair must stand side by side to become a token", "", "times"});
  v.integer("alphabet_limit", trainer.alphabet_limit, between(1, 1e6),
            {"wordpiece: characters kept, the most frequent ones; a rarer one makes its word unknown", "", "characters"});
  v.flag("lowercase", trainer.lowercase, {"wordpiece: texts are lower-cased", "BERT uncased", ""});
  v.flag("strip_accents", trainer.strip_accents, {"wordpiece: accents are removed", "BERT uncased", ""});
  v.integer("max_length", max_length, between(2, 1 << 20), {"the longest text that the tokenizer's settings state", "", "tokens"});
}

void VocabularyOptions::validate(const Config& config) const {
  if (trainer.kind == text::VocabularyKind::kWordPiece) return;
  for (const char* key : {"alphabet_limit", "lowercase", "strip_accents"}) {
    check(!config.has(key), Status::kArgument, "config key '", key, "' goes with kind = wordpiece only");
  }
}

void train_vocabulary(const std::string& input, const std::string& output, const VocabularyOptions& options, const Cancel* cancel) {
  data::LineReader reader(input);
  io::AtomicFolder folder(output, check_replaceable_vocabulary);  // before the work: an output that cannot be written costs nothing
  text::VocabularyTrainer trainer(options.trainer);
  int64_t too_long = 0;
  reader.scan([](std::string_view) {},
              [&](const data::Line& line) {
                if (line.number % 1024 == 0) throw_if_cancelled(cancel);
                line.too_long ? static_cast<void>(++too_long) : trainer.add(line.text);
              });
  if (too_long > 0) log_warning(input, ": ", too_long, " lines are too long and were left out");
  check(trainer.words() > 0, Status::kArgument, input, ": no text in it to learn a vocabulary from");
  const text::LearntVocabulary learnt = trainer.train(cancel);
  if (static_cast<int64_t>(learnt.tokens.size()) < options.trainer.size) {
    log_warning("the texts give ", learnt.tokens.size(), " tokens only, not ", options.trainer.size, ": no further pair is frequent enough");
  }
  write_files(folder, options, learnt);
  folder.commit();
}

}  // namespace contrastive::training
