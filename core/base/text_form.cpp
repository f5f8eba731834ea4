#include "core/base/text_form.h"

#include <algorithm>

#include "core/base/affixes.h"
#include "core/base/error.h"

namespace contrastive {
namespace {

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lowered;
}

// "pairs.TSV.gz" -> "tsv". "" for a name without an extension.
std::string extension(std::string_view path) {
  std::string name = lower(path.substr(path.rfind('/') + 1));
  if (ends_with(name, ".gz")) name.resize(name.size() - 3);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

bool holds(std::string_view list, const std::string& word) {
  return !word.empty() && list.find(" " + word + " ") != std::string_view::npos;
}

// Whether a cell names a column: "query", "Sentence_1", "\"clicked document\"". Each word must be a
// noun from the list or an adjective or number that qualifies one.
bool is_title(std::string_view cell) {
  constexpr std::string_view kNouns =
      " anchor answer body content context corpus description doc document documents gold "
      "hypothesis id input keyword label labels negative negatives "
      "output passage positive premise product qid queries query question response score scores "
      "sent sentence similarity source summary target term text "
      "title url ";
  constexpr std::string_view kQualifiers = " clicked first name search second user ";
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
    cell = cell.substr(1, cell.size() - 2);
  const std::string name = lower(cell);
  bool names = false;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find_first_of("_- ", begin), name.size());
    std::string word = name.substr(begin, end - begin);
    const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    const bool counts = names && (number || word == "a" || word == "b");  // "text_a", "negative_12"
    while (!number && !word.empty() && word.back() >= '0' && word.back() <= '9') word.pop_back();
    if (holds(kNouns, word)) names = true;
    else if (!holds(kQualifiers, word) && !counts) return false;
    begin = end + 1;
  }
  return names;
}

}  // namespace

std::optional<TextForm> text_form_of_name(std::string_view path, std::string_view option) {
  const std::string form = extension(path);
  if (form == "txt") return TextForm::kText;
  if (form == "tsv") return TextForm::kTsv;
  if (form == "jsonl" || form == "ndjson") return TextForm::kJsonl;
  for (const char* other : {"csv", "json", "parquet", "arrow", "npy", "xlsx"}) {
    check(form != other, Status::kArgument, path, ": a .", other,
          " file is not read: convert it to .tsv or .jsonl, or name the form of its lines with ",
          option);
  }
  return std::nullopt;
}

TextForm text_form_of_line(std::string_view first_line) {
  if (first_line.find('\t') != std::string_view::npos) return TextForm::kTsv;
  return begins_with(first_line, "{") && ends_with(first_line, "}") ? TextForm::kJsonl
                                                                    : TextForm::kText;
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
