#include "core/base/text_form.h"

#include <algorithm>
#include <array>

#include "core/base/affixes.h"
#include "core/base/error.h"

namespace contrastive {
namespace {

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lowered;
}

// "pairs.TSV.gz" -> "tsv"; "" where there is none.
std::string extension(std::string_view path) {
  std::string name = lower(path.substr(path.rfind('/') + 1));
  if (ends_with(name, ".gz")) name.resize(name.size() - 3);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

bool is_title(std::string_view cell) {
  static constexpr std::array<std::string_view, 38> kTitles = {
      "anchor",   "answer",     "content",   "context",   "corpus",     "doc",        "document",   "documents",
      "gold",     "hypothesis", "id",        "label",     "labels",     "negative",   "negatives",  "passage",
      "positive", "premise",    "qid",       "queries",   "query",      "question",   "response",   "score",
      "scores",   "sentence",   "sentence1", "sentence2", "sentence_a", "sentence_b", "similarity", "similarity_score",
      "text",     "text1",      "text2",     "text_a",    "text_b",     "title"};
  const std::string name = lower(cell);
  return std::find(kTitles.begin(), kTitles.end(), name) != kTitles.end() || begins_with(name, "negative_");
}

}  // namespace

std::optional<TextForm> text_form_of_name(std::string_view path, std::string_view option) {
  const std::string form = extension(path);
  if (form == "txt") return TextForm::kText;
  if (form == "tsv") return TextForm::kTsv;
  if (form == "jsonl" || form == "ndjson") return TextForm::kJsonl;
  for (const char* other : {"csv", "json", "parquet", "arrow", "npy", "xlsx"}) {
    check(form != other, Status::kArgument, path, ": a .", other,
          " file is not read: convert it to .tsv or .jsonl, or name the form of its lines with ", option);
  }
  return std::nullopt;
}

TextForm text_form_of_line(std::string_view first_line) {
  if (first_line.find('\t') != std::string_view::npos) return TextForm::kTsv;
  return begins_with(first_line, "{") && ends_with(first_line, "}") ? TextForm::kJsonl : TextForm::kText;
}

bool looks_like_titles(std::string_view line) {
  size_t cells = 0, titles = 0;
  for (size_t begin = 0; begin <= line.size(); ++cells) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    titles += is_title(line.substr(begin, end - begin)) ? 1 : 0;
    begin = end + 1;
  }
  return titles >= std::min<size_t>(cells, 2);
}

}  // namespace contrastive
