// Reads the data of a retrieval task from a file of pairs or the three files of a BEIR data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/eval/retrieval/retrieval_metrics.h"

namespace contrastive::eval {

// Queries, documents, and which belong together. Documents that occur in several lines are kept
// once.
struct RetrievalData {
  std::vector<std::string> queries;
  std::vector<std::string> documents;
  std::vector<Judgements> judged;  // one for each query
  std::vector<int64_t>
      ignored;  // for each query a document that does not count as a hit, or -1; empty if no query
                // has one
};

// A file of "query TAB document" lines: the relevant document of a query is the one on its line.
// Equal documents are one document.
RetrievalData read_pairs(const std::string& path);
// The layout of BEIR: two JSONL files with "_id", "text" and optionally "title" (put before the
// text), and a TSV of query id, document id and grade with or without a header line. The JSONL
// files may be gzip files. Queries without a relevant document are left out. With `ignore_same_id`,
// the document with a query's own id is not a hit for it and not judged, as in BEIR if queries are
// documents of the corpus. If a pair is judged several times, the last judgement counts. kFormat
// with file and line; kNotFound for an id that no line has.
RetrievalData read_beir(const std::string& queries, const std::string& corpus,
                        const std::string& judgements, bool ignore_same_id = false);

// The files of a folder in that layout: corpus.jsonl and queries.jsonl (or with .gz appended) and
// qrels/<split>.tsv. kNotFound names the missing files.
struct BeirFiles {
  std::string queries, corpus, judgements;
};
BeirFiles beir_files(const std::string& folder, const std::string& split);

}  // namespace contrastive::eval
