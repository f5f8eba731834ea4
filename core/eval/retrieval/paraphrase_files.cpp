#include "core/eval/retrieval/paraphrase_files.h"

#include <unordered_map>

#include "core/base/error.h"
#include "core/eval/retrieval/pairs.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

bool is_name(std::string_view field) {
  for (const char* name : {"id", "id1", "id2", "qid", "qid1", "qid2"}) {
    if (field == name) return true;
  }
  return false;
}

// Calls `row` for each line but a first one for which `header` holds.
void read_below_header(const std::string& path, const std::function<bool(const TsvRow&)>& header,
                       const std::function<void(const TsvRow&)>& row) {
  bool first = true;
  read_tsv(path, 2, [&](const TsvRow& line) {
    if (!first || !header(line)) row(line);
    first = false;
  });
}

}  // namespace

ParaphraseData read_paraphrase_pairs(const std::string& path, bool transitive) {
  const LabelledPairs pairs = read_labelled_pairs(path);
  DistinctTexts distinct;
  ParaphraseData data;
  std::vector<std::pair<int64_t, int64_t>> positives;
  const auto number = [&](const std::string& text) {
    const int64_t known = distinct.size(), id = distinct.add(text);
    if (id == known) data.texts.push_back(text);
    return id;
  };
  for (size_t i = 0; i < pairs.positive.size(); ++i) {
    const int64_t first = number(pairs.first[i]), second = number(pairs.second[i]);
    if (pairs.positive[i]) positives.emplace_back(first, second);
  }
  data.paraphrases = Paraphrases(distinct.size(), transitive);
  for (const auto& [a, b] : positives) data.paraphrases.add(a, b);
  return data;
}

ParaphraseData read_paraphrase_files(const std::string& texts, const std::string& duplicates,
                                     bool transitive) {
  ParaphraseData data;
  std::unordered_map<std::string, int64_t> rows;
  const auto names_text = [](const TsvRow& row) {
    return row.fields[0] == "id" || row.fields[0] == "qid";
  };
  read_below_header(texts, names_text, [&](const TsvRow& row) {
    const bool fresh = rows.emplace(row.fields[0], static_cast<int64_t>(data.texts.size())).second;
    check(fresh, Status::kFormat, row.where, ": the id '", row.fields[0], "' was used before");
    data.texts.emplace_back(row.fields[1]);
  });
  data.paraphrases = Paraphrases(static_cast<int64_t>(data.texts.size()), transitive);
  // "id1" may also be an id: then a text has it.
  const auto names_ids = [&](const TsvRow& row) {
    return is_name(row.fields[0]) && is_name(row.fields[1]) &&
           rows.count(std::string(row.fields[0])) == 0;
  };
  read_below_header(duplicates, names_ids, [&](const TsvRow& row) {
    int64_t ids[2];
    for (size_t i = 0; i < 2; ++i) {
      const auto found = rows.find(std::string(row.fields[i]));
      check(found != rows.end(), Status::kNotFound, row.where, ": no text has the id '",
            row.fields[i], "'");
      ids[i] = found->second;
    }
    data.paraphrases.add(ids[0], ids[1]);
  });
  return data;
}

}  // namespace contrastive::eval
