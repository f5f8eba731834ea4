// The data of evaluations, and CLEAR's synonyms. The first byte selects the reader of the rest.
#include "core/torch/augment/tokens/synonym_table.h"
#include "core/torch/tasks/glue/glue_files.h"
#include "core/eval/retrieval/retrieval_files.h"
#include "core/eval/sts/csv.h"
#include "core/eval/sts/sts_files.h"
#include "core/eval/sts/sts_set.h"
#include "core/torch/tasks/transfer/transfer_files.h"
#include "core/eval/tsv.h"
#include "core/io/tokenizer_files.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

void check_sts(const std::string& path) {
  for (const eval::StsSet& set : eval::read_sts_sets(path)) {
    for (const eval::StsSubset& subset : set.subsets)
      expect(subset.gold.size() == subset.first.size() &&
                 subset.gold.size() == subset.second.size(),
             "columns of different length");
  }
}

void check_transfer(const MemoryFolder& folder, const std::string& task) {
  const eval::TransferData data = eval::read_transfer(folder.path(), task);
  expect(data.train.first.size() == data.train.labels.size() &&
             (data.train.second.empty() || data.train.second.size() == data.train.first.size()),
         "columns of different length");
  for (const int64_t label : data.train.labels)
    expect(label >= 0 && label < data.classes, "a label beyond the classes");
}

void check_glue(const std::string& path, const eval::GlueDefinition& definition) {
  const eval::GlueSet set = eval::read_glue_file(definition, path);
  expect(set.size() > 0 && set.targets.size() == set.first.size(), "a set without rows");
  expect(definition.pairs() == !set.second.empty(), "a pair without its other text");
  for (const double target : set.targets) {
    expect(definition.regression() ||
               (target >= 0 && target < static_cast<double>(definition.labels.size())),
           "a class that does not exist");
  }
}

void check_retrieval(const eval::RetrievalData& data) {
  expect(data.queries.size() == data.judged.size(), "queries without judgements");
  for (const eval::Judgements& judged : data.judged) {
    for (const auto& [document, grade] : judged) {
      expect(document >= 0 && document < static_cast<int64_t>(data.documents.size()),
             "a judgement of a document that does not exist");
      (void)grade;
    }
  }
}

}  // namespace

FUZZ_TARGET(evaluation_files) {
  Numbers numbers(bytes);
  const int64_t reader = numbers.below(32);
  const std::string_view rest = numbers.rest();
  const MemoryFolder folder;
  static const auto tokenizer =
      io::load_tokenizer(std::string(CONTRASTIVE_FIXTURES) + "/models/bert_st");
  accepted(
      [&] {
        if (reader == 0) check_sts(folder.write("a.tsv", rest));
        if (reader == 1) check_sts(folder.write("sts-test.csv", rest));
        if (reader == 2) check_sts(folder.write("SICK.txt", rest));
        if (reader == 3) {
          const auto parts = pieces(rest, 2);
          folder.write("STS.gs.a.txt", parts[0]);
          check_sts(folder.write("STS.input.a.txt", parts[1]));
        }
        if (reader == 4) check_retrieval(eval::read_pairs(folder.write("pairs.tsv", rest)));
        if (reader == 5 || reader == 6) {
          const auto parts = pieces(rest, 3);
          check_retrieval(eval::read_beir(folder.write("queries.jsonl", parts[0]),
                                          folder.write("corpus.jsonl", parts[1]),
                                          folder.write("qrels.tsv", parts[2]), reader == 6));
        }
        if (reader == 7)
          eval::read_csv(folder.write("a.csv", rest), 3, [](const eval::CsvRow& row) {
            expect(row.fields.size() == 3, "columns");
          });
        if (reader == 8)
          eval::read_tsv(folder.write("a.tsv", rest), 3, [](const eval::TsvRow& row) {
            expect(row.fields.size() == 3, "columns");
          });
        if (reader == 9) augment::SynonymTable::read(folder.write("synonyms", rest), *tokenizer);
        if (reader >= 10 && reader < 10 + static_cast<int64_t>(eval::glue_definitions().size())) {
          check_glue(folder.write("dev.tsv", rest),
                     eval::glue_definitions()[static_cast<size_t>(reader) - 10]);
        }
        const auto tasks = eval::transfer_task_names();
        if (reader >= 20 && reader < 20 + static_cast<int64_t>(tasks.size())) {
          const std::string& task = tasks[static_cast<size_t>(reader) - 20];
          for (const char* part : {"all", "train", "dev", "test"})
            folder.write(task + "/" + part + ".tsv", rest);
          check_transfer(folder, task);
        }
      },
      {Status::kNotFound});
}

}  // namespace contrastive::fuzz
