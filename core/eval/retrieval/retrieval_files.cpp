#include "core/eval/retrieval/retrieval_files.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/eval/lines.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

struct Texts {
  std::vector<std::string> texts;
  std::unordered_map<std::string, int64_t> rows;  // by id
};

// Lines {"_id": ..., "title": ..., "text": ...}.
Texts read_jsonl(const std::string& path) {
  Texts result;
  for_each_line(path, [&](const TextLine& read) {
    const std::string where(read.where);
    const std::string_view line = read.text;
    if (std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isspace(c); }))
      return;
    const Json json = parse_json(line, where);
    const JsonObject object(json, where);
    const std::string id = object.string("_id"), title = object.string("title", "");
    const bool fresh = result.rows.emplace(id, static_cast<int64_t>(result.texts.size())).second;
    check(fresh, Status::kFormat, where, ": the _id '", id, "' was used before");
    result.texts.push_back(title.empty() ? object.string("text")
                                         : title + " " + object.string("text"));
  });
  check(!result.texts.empty(), Status::kFormat, path, ": no line in it");
  return result;
}

int64_t row_of(const Texts& texts, std::string_view id, std::string_view where, const char* what) {
  const auto found = texts.rows.find(std::string(id));
  check(found != texts.rows.end(), Status::kNotFound, where, ": no ", what, " has the _id '", id,
        "'");
  return found->second;
}

// Drops the queries without judgements.
void keep_judged(RetrievalData& data) {
  size_t kept = 0;
  for (size_t i = 0; i < data.queries.size(); ++i) {
    if (data.judged[i].empty()) continue;
    if (kept != i) {
      data.queries[kept] = std::move(data.queries[i]);
      data.judged[kept] = std::move(data.judged[i]);
      if (!data.ignored.empty()) data.ignored[kept] = data.ignored[i];
    }
    ++kept;
  }
  if (kept < data.queries.size())
    log_info("retrieval: ", data.queries.size() - kept,
             " queries without a relevant document are left out");
  data.queries.resize(kept);
  data.judged.resize(kept);
  if (!data.ignored.empty()) data.ignored.resize(kept);
}

// `name` in `folder`, or that name with .gz.
std::string packed_or_not(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  if (path_exists(path)) return path;
  check(path_exists(path + ".gz"), Status::kNotFound, path, ": no such file, nor ", name,
        ".gz; a BEIR folder has corpus.jsonl, "
        "queries.jsonl and qrels/");
  return path + ".gz";
}

}  // namespace

RetrievalData read_pairs(const std::string& path) {
  RetrievalData data;
  std::unordered_map<std::string, int64_t> documents;
  read_tsv(path, 2, [&](const TsvRow& row) {
    const auto [document, fresh] =
        documents.emplace(row.fields[1], static_cast<int64_t>(data.documents.size()));
    if (fresh) data.documents.emplace_back(row.fields[1]);
    data.queries.emplace_back(row.fields[0]);
    data.judged.push_back({{document->second, 1.0}});
  });
  return data;
}

RetrievalData read_beir(const std::string& queries, const std::string& corpus,
                        const std::string& judgements, bool ignore_same_id) {
  Texts query_texts = read_jsonl(queries), documents = read_jsonl(corpus);
  RetrievalData data;
  data.judged.resize(query_texts.texts.size());
  if (ignore_same_id) {
    data.ignored.resize(query_texts.texts.size(), -1);
    for (const auto& [id, query] : query_texts.rows) {
      const auto found = documents.rows.find(id);
      if (found != documents.rows.end()) data.ignored[query] = found->second;
    }
  }
  bool first = true;
  read_tsv(judgements, 3, [&](const TsvRow& row) {
    const bool header = first && row.fields[0] == "query-id";
    first = false;
    if (header) return;
    const int64_t query = row_of(query_texts, row.fields[0], row.where, "query"),
                  document = row_of(documents, row.fields[1], row.where, "document");
    const double grade = parse_number(row.fields[2], row.where, "grade");
    if (ignore_same_id && data.ignored[query] == document) return;
    // If a pair is judged several times, the last judgement counts, as in BEIR.
    if (grade > 0) data.judged[query][document] = grade;
    else data.judged[query].erase(document);
  });
  data.queries = std::move(query_texts.texts);
  data.documents = std::move(documents.texts);
  keep_judged(data);
  check(!data.queries.empty(), Status::kFormat, judgements, ": it names no relevant document");
  return data;
}

BeirFiles beir_files(const std::string& folder, const std::string& split) {
  const std::string judgements = folder + "/qrels/" + split + ".tsv";
  check(path_exists(judgements), Status::kNotFound, judgements,
        ": no such file; the key split names the file in qrels/");
  return {packed_or_not(folder, "queries.jsonl"), packed_or_not(folder, "corpus.jsonl"),
          judgements};
}

}  // namespace contrastive::eval
