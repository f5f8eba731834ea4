#include "core/io/tokenizer_files.h"

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/nearest.h"
#include "core/io/tokenizer_json.h"
#include "core/io/vocabulary_json.h"
#include "core/text/unicode.h"
#include "core/text/wordpiece_tokenizer.h"

namespace contrastive::io {
namespace {

// The lines of a text file, CRLF accepted; kFormat with the line number for malformed UTF-8. A last line without an end counts, an empty one not.
std::vector<std::string> read_lines(const std::string& path) {
  std::string bytes = read_file(path, kMaxTokenizerBytes);
  const size_t valid = text::valid_utf8_prefix(bytes);
  check(valid == bytes.size(), Status::kFormat, path, ": line ", 1 + std::count(bytes.begin(), bytes.begin() + valid, '\n'), " is not UTF-8");
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
  for (const std::string& line : lines) tokens.emplace_back(line, static_cast<int32_t>(tokens.size()));
  std::vector<std::pair<std::string_view, size_t>> sorted;  // to name the line of a token that stands twice
  for (size_t i = 0; i < lines.size(); ++i) sorted.emplace_back(lines[i], i + 1);
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i) {
    check(sorted[i].first != sorted[i - 1].first, Status::kFormat, path, ": line ", sorted[i].second, " repeats the token '",
          std::string(sorted[i].first), "' of line ", sorted[i - 1].second);
  }
  return tokens;
}

// The special tokens of a vocabulary file, found as they stand before anything else.
text::AddedToken special_token(const std::string& content, bool lstrip = false) {
  text::AddedToken token;
  token.content = content;
  token.special = true;
  token.lstrip = lstrip;
  return token;
}

void check_class(const TokenizerSettings& settings, const std::vector<std::string>& known, const std::string& folder) {
  std::string name = settings.tokenizer_class;
  if (name.size() > 4 && name.substr(name.size() - 4) == "Fast") name.resize(name.size() - 4);
  check(name.empty() || std::find(known.begin(), known.end(), name) != known.end(), Status::kUnsupported, folder, "/tokenizer_config.json: ",
        unknown_name("tokenizer_class", name, known));
}

// BertTokenizer's files: vocab.txt, and what tokenizer_config.json says about case and accents.
std::shared_ptr<const text::Tokenizer> load_vocab_txt(const std::string& folder, const TokenizerSettings& settings) {
  check_class(settings, {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"}, folder);
  text::TokenizerParts parts;
  parts.source = folder + "/vocab.txt";
  parts.vocabulary = std::make_shared<text::Vocabulary>(read_vocabulary_lines(parts.source), parts.source);
  text::WordPieceOptions options;
  options.unknown_token = role_token(settings, "unk_token", "[UNK]");
  const std::string cls = role_token(settings, "cls_token", "[CLS]"), sep = role_token(settings, "sep_token", "[SEP]");
  const std::string pad = role_token(settings, "pad_token", "[PAD]"), mask = role_token(settings, "mask_token", "[MASK]");
  for (const std::string& token : {options.unknown_token, cls, sep, pad}) {
    check(parts.vocabulary->id(token) >= 0, Status::kFormat, parts.source, ": none of its ", parts.vocabulary->count(), " lines is ", token);
  }
  parts.added_tokens = settings.added_tokens;
  for (const std::string& token : {pad, options.unknown_token, cls, sep, mask}) {
    const auto same = [&](const text::AddedToken& added) { return added.content == token; };
    const bool present = std::any_of(parts.added_tokens.begin(), parts.added_tokens.end(), same);
    // A model without [MASK] has no use for it: it is not made up.
    if (!present && parts.vocabulary->id(token) >= 0) parts.added_tokens.push_back(special_token(token));
  }
  resolve_added_tokens(*parts.vocabulary, parts.source, parts.added_tokens);
  const bool lower_case = settings.do_lower_case.value_or(true);
  parts.normalizer = text::bert_steps(true, settings.tokenize_chinese_chars.value_or(true), settings.strip_accents.value_or(lower_case), lower_case);
  parts.post_processor = text::bert_post_processor(parts.vocabulary->id(cls), parts.vocabulary->id(sep));
  parts.special_ids = special_ids(settings, false, *parts.vocabulary, parts.added_tokens);
  parts.model_max_length = settings.model_max_length;
  return std::make_shared<text::WordPieceTokenizer>(std::move(parts), options);
}

}  // namespace

std::shared_ptr<const text::Tokenizer> load_tokenizer(const std::string& folder) {
  check(path_exists(folder), Status::kNotFound, folder, ": no such folder");
  check(is_directory(folder), Status::kArgument, folder, ": not a folder");
  const TokenizerSettings settings = read_tokenizer_settings(folder);
  const std::string json = folder + "/tokenizer.json";
  if (path_exists(json)) return tokenizer_from_json(read_file(json, kMaxTokenizerBytes), json, settings);
  if (path_exists(folder + "/vocab.txt")) return load_vocab_txt(folder, settings);
  fail(Status::kNotFound, folder, ": no tokenizer here; tokenizer.json, vocab.txt, or vocab.json with merges.txt is needed");
}

void copy_tokenizer_files(const std::string& from, const std::string& to) {
  for (const char* name : {"tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json", "special_tokens_map.json",
                           "added_tokens.json"}) {
    const std::string source = from + "/" + name;
    if (!path_exists(source)) continue;
    check(is_regular_file(source), Status::kArgument, source, ": not a regular file");
    std::error_code error;
    std::filesystem::copy_file(source, to + "/" + name, std::filesystem::copy_options::overwrite_existing, error);
    check(!error, error == std::errc::no_space_on_device ? Status::kNoSpace : Status::kIo, to, "/", name, ": cannot be written: ", error.message());
  }
}

}  // namespace contrastive::io
