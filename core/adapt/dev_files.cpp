#include "core/adapt/dev_files.h"

#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/rng.h"
#include "core/base/sample.h"
#include "core/io/atomic_file.h"

namespace contrastive::adapt {
namespace {

std::string record(const std::string& id, const std::string& text) {
  return Json({{"_id", id}, {"text", text}}).dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

// Texts with an id each, as lines of a file.
class Records {
 public:
  explicit Records(std::string letter) : letter_(std::move(letter)) {}
  std::string id_of(const std::string& text) {
    const auto [at, fresh] = ids_.emplace(text, cat(letter_, ids_.size()));
    if (fresh) lines_ += record(at->second, text);
    return at->second;
  }
  const std::string& lines() const { return lines_; }

 private:
  std::string letter_, lines_;
  std::unordered_map<std::string, std::string> ids_;
};

}  // namespace

void write_dev_files(const std::string& folder, const std::vector<AdaptPair>& dev,
                     const data::Dataset& further, int64_t others, int64_t seed) {
  Records queries("q"), documents("d");
  std::string judgements = "query-id\tcorpus-id\tscore\n";
  std::unordered_set<std::string> judged;
  for (const AdaptPair& pair : dev) {
    const std::string line =
        cat(queries.id_of(pair.anchor), "\t", documents.id_of(pair.positive), "\t1\n");
    if (judged.insert(line).second) judgements += line;
  }
  Rng rng(static_cast<uint64_t>(seed), Purpose::kSplit, 1);
  for (const int64_t row : choose(further.size(), others, rng)) documents.id_of(further.get(row).a);
  make_folders(folder + "/qrels");
  io::write_file_atomic(folder + "/corpus.jsonl", documents.lines());
  io::write_file_atomic(folder + "/queries.jsonl", queries.lines());
  io::write_file_atomic(folder + "/qrels/dev.tsv", judgements);
}

}  // namespace contrastive::adapt
