#include "core/io/tokenizer_files.h"

#include <algorithm>
#include <iterator>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/sentencepiece_files.h"
#include "core/io/tokenizer_class.h"
#include "core/io/tokenizer_folder.h"
#include "core/io/tokenizer_json.h"
#include "core/io/vocabulary_json.h"
#include "core/text/byte_bpe_tokenizer.h"
#include "core/text/model2vec_tokenizer.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"
#include "core/text/wordpiece_tokenizer.h"

namespace contrastive::io {
namespace {

constexpr const char* kTokenizerFiles[] = {"tokenizer.json",
                                           "vocab.txt",
                                           "vocab.json",
                                           "merges.txt",
                                           "tokenizer_config.json",
                                           "special_tokens_map.json",
                                           "added_tokens.json",
                                           "sentencepiece.bpe.model",
                                           "spiece.model",
                                           "tokenizer.model"};

// The lines of a text file. Accepts CRLF and a byte order mark. Throws kFormat with the line number
// for malformed UTF-8, and kLimit for more lines than a vocabulary may have. A last line without a
// line end counts, an empty one does not.
std::vector<std::string> read_lines(const std::string& path) {
  std::string bytes = read_file(path, kMaxTokenizerBytes);
  if (begins_with(bytes, "\xEF\xBB\xBF")) bytes.erase(0, 3);
  const size_t valid = text::valid_utf8_prefix(bytes);
  check(valid == bytes.size(), Status::kFormat, path, ": line ",
        1 + std::count(bytes.begin(), bytes.begin() + valid, '\n'), " is not UTF-8");
  const int64_t ends = std::count(bytes.begin(), bytes.end(), '\n');
  check(ends <= kMaxTokenizerEntries, Status::kLimit, path, ": ", ends,
        " lines, above the limit of ", kMaxTokenizerEntries);
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    lines.push_back(bytes.substr(begin, end - begin));
    if (!lines.back().empty() && lines.back().back() == '\r') lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

text::TokenList read_vocabulary_lines(const std::string& path) {
  const std::vector<std::string> lines = read_lines(path);
  check(!lines.empty(), Status::kFormat, path, ": the file is empty; one token a line is needed");
  text::TokenList tokens;
  for (const std::string& line : lines)
    tokens.emplace_back(line, static_cast<int32_t>(tokens.size()));
  std::vector<std::pair<std::string_view, size_t>>
      sorted;  // to report the line of a token that occurs twice
  for (size_t i = 0; i < lines.size(); ++i) sorted.emplace_back(lines[i], i + 1);
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i) {
    check(sorted[i].first != sorted[i - 1].first, Status::kFormat, path, ": line ",
          sorted[i].second, " repeats the token '", std::string(sorted[i].first), "' of line ",
          sorted[i - 1].second);
  }
  return tokens;
}

// BertTokenizer's files: vocab.txt, and the settings for case and accents in tokenizer_config.json.
std::shared_ptr<const text::Tokenizer> load_vocab_txt(const std::string& folder,
                                                      const TokenizerSettings& settings) {
  known_class(settings, {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"}, folder);
  const std::string path = folder + "/vocab.txt";
  text::WordPieceOptions options;
  options.unknown_token = role_token(settings, "unk_token", "[UNK]");
  const std::string cls = role_token(settings, "cls_token", "[CLS]"),
                    sep = role_token(settings, "sep_token", "[SEP]");
  text::TokenizerParts parts =
      read_parts(path, read_vocabulary_lines(path), settings,
                 {role_token(settings, "pad_token", "[PAD]"), options.unknown_token, cls, sep},
                 {special_token(role_token(settings, "mask_token", "[MASK]"))});
  const bool lower_case = settings.do_lower_case.value_or(true);
  parts.normalizer = text::bert_steps(true, settings.tokenize_chinese_chars.value_or(true),
                                      settings.strip_accents.value_or(lower_case), lower_case);
  parts.post_processor =
      text::bert_post_processor(parts.vocabulary->id(cls), parts.vocabulary->id(sep));
  parts.special_ids = special_ids(settings, false, *parts.vocabulary, parts.added_tokens);
  return std::make_shared<text::WordPieceTokenizer>(std::move(parts), options);
}

// The merges in merges.txt. As in tokenizers, a line that begins with "#version" is a comment, and
// every other line is a merge. `first_line`: of the merges, for error messages.
MergeList read_merges(const std::string& path, int64_t& first_line) {
  std::vector<std::string> lines = read_lines(path);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  MergeList merges;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (begins_with(lines[i], "#version")) continue;
    merges.push_back(parse_merge(lines[i], cat(path, ": line ", i + 1),
                                 static_cast<int64_t>(merges.size()) + 1));
  }
  first_line = static_cast<int64_t>(lines.size() - merges.size()) + 1;
  return merges;
}

// RobertaTokenizer's files: vocab.json and merges.txt.
std::shared_ptr<const text::Tokenizer> load_vocab_json(const std::string& folder,
                                                       const TokenizerSettings& settings) {
  known_class(settings, {"RobertaTokenizer"}, folder);
  const std::string path = folder + "/vocab.json", merges_path = folder + "/merges.txt";
  check(path_exists(merges_path), Status::kNotFound, merges_path,
        ": missing; vocab.json needs it in the same folder");
  const std::string cls = role_token(settings, "cls_token", "<s>"),
                    sep = role_token(settings, "sep_token", "</s>");
  text::TokenizerParts parts =
      read_parts(path, parse_vocabulary_json(read_file(path, kMaxTokenizerBytes), path).vocabulary,
                 settings,
                 {cls, role_token(settings, "pad_token", "<pad>"), sep,
                  role_token(settings, "unk_token", "<unk>")},
                 {special_token(role_token(settings, "mask_token", "<mask>")),
                  special_token(role_token(settings, "bos_token", "<s>")),
                  special_token(role_token(settings, "eos_token", "</s>"))});
  text::ByteLevelOptions options;
  options.add_prefix_space = settings.add_prefix_space.value_or(false);
  parts.post_processor =
      text::roberta_post_processor(parts.vocabulary->id(cls), parts.vocabulary->id(sep));
  parts.post_processor.trim_offsets = settings.trim_offsets.value_or(true);
  parts.post_processor.trim_keeps_prefix_space = options.add_prefix_space;
  parts.special_ids = special_ids(settings, true, *parts.vocabulary, parts.added_tokens);
  text::ByteBpeOptions model_options;
  const MergeList merges = read_merges(merges_path, model_options.first_line);
  parts.source = merges_path;  // the only errors left to find are those of merges
  return std::make_shared<text::ByteBpeTokenizer>(std::move(parts), merges, model_options, options);
}

}  // namespace

std::shared_ptr<const text::Tokenizer> load_tokenizer(const std::string& folder,
                                                      text::InvalidUtf8 invalid_utf8,
                                                      std::vector<std::string>* notes) {
  check(path_exists(folder), Status::kNotFound, folder, ": no such folder");
  check(is_directory(folder), Status::kArgument, folder, ": not a folder");
  TokenizerSettings settings = read_tokenizer_settings(folder);
  settings.invalid_utf8 = invalid_utf8;
  if (notes != nullptr) notes->insert(notes->end(), settings.notes.begin(), settings.notes.end());
  const std::string json = folder + "/tokenizer.json";
  if (path_exists(json)) refuse_unread_class(settings, folder + "/tokenizer_config.json");
  if (path_exists(json))
    return tokenizer_from_json(read_file(json, kMaxTokenizerBytes), json, settings, notes);
  if (path_exists(folder + "/vocab.txt")) return load_vocab_txt(folder, settings);
  if (path_exists(folder + "/vocab.json")) return load_vocab_json(folder, settings);
  for (const char* name : {"sentencepiece.bpe.model", "spiece.model", "tokenizer.model"}) {
    if (path_exists(folder + "/" + name)) return load_sentencepiece(folder, name, settings);
  }
  fail(Status::kNotFound, folder,
       ": no tokenizer here; tokenizer.json, vocab.txt, vocab.json with merges.txt, "
       "sentencepiece.bpe.model, spiece.model or tokenizer.model "
       "is needed");
}

std::shared_ptr<const text::Tokenizer> load_static_tokenizer(const std::string& folder,
                                                             bool model2vec,
                                                             text::InvalidUtf8 invalid_utf8,
                                                             std::vector<std::string>* notes) {
  const std::string path = folder + "/tokenizer.json";
  check(path_exists(path), Status::kNotFound, path, ": not there: static embeddings need it");
  return static_tokenizer(read_file(path, kMaxTokenizerBytes), path, model2vec, invalid_utf8,
                          notes);
}

std::shared_ptr<const text::Tokenizer> static_tokenizer(std::string_view document,
                                                        const std::string& source, bool model2vec,
                                                        text::InvalidUtf8 invalid_utf8,
                                                        std::vector<std::string>* notes) {
  TokenizerSettings settings;  // default settings: neither library reads tokenizer_config.json here
  settings.invalid_utf8 = invalid_utf8;
  settings.special_tokens = false;
  if (model2vec)
    settings.truncates_left = false;  // it cuts a text itself, whatever the document says
  std::shared_ptr<const text::Tokenizer> all =
      tokenizer_from_json(document, source, settings, notes);
  if (!model2vec) return all;
  const int32_t unknown = all->special_ids().unk;
  return std::make_shared<text::Model2vecTokenizer>(std::move(all), unknown);
}

bool is_tokenizer_file(std::string_view name) {
  return std::find(std::begin(kTokenizerFiles), std::end(kTokenizerFiles), name) !=
         std::end(kTokenizerFiles);
}

std::map<std::string, std::string> read_tokenizer_bytes(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const char* name : kTokenizerFiles) {
    const std::string file = cat(folder, "/", name);
    if (path_exists(file)) files[name] = read_file(file, kMaxTokenizerBytes);
  }
  return files;
}

void keep_tokenizer_class(const std::string& folder, const std::string& model_type,
                          std::map<std::string, std::string>& files) {
  const TokenizerSettings settings = read_tokenizer_settings(folder);
  if (files.count("tokenizer.json") == 0 ||
      loaded_class(settings.tokenizer_class, model_type) == settings.class_name)
    return;
  const auto file = files.find("tokenizer_config.json");
  Json config = file == files.end() ? Json::object()
                                    : parse_json(file->second, folder + "/tokenizer_config.json");
  config["tokenizer_class"] =
      settings.class_name.empty() ? "PreTrainedTokenizerFast" : settings.class_name;
  config["model_input_names"] = {"input_ids", "attention_mask"};
  if (passes_token_types(settings)) config["model_input_names"].push_back("token_type_ids");
  files["tokenizer_config.json"] = config.dump(2) + "\n";
}

}  // namespace contrastive::io
