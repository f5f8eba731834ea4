// Reads the data of SentEval's transfer tasks, from SentEval's own files or from plain TSV
// (core/torch/tasks/transfer/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::eval {

// Which parts a task has, and so how it is measured.
enum class TransferProtocol { kNestedFolds, kFoldsOfTrain, kGivenDev };

struct TransferData {
  struct Part {
    std::vector<std::string> first, second;  // `second` is empty for single texts
    std::vector<int64_t> labels;             // below `classes`
  };
  std::string task;
  TransferProtocol protocol = TransferProtocol::kNestedFolds;
  bool pairs = false;
  int64_t classes = 0;
  Part train;  // all examples, for kNestedFolds
  Part dev;    // kGivenDev only
  Part test;   // not for kNestedFolds
};

// MR, CR, SUBJ, MPQA, SST2, SST5, TREC, MRPC.
std::vector<std::string> transfer_task_names();

// Reads one task's data in `folder`, in whichever of two layouts it has.
// TSV, "label TAB text" or "label TAB text TAB text", in UTF-8:
//   MR CR SUBJ MPQA  TASK/all.tsv (0, 1)
//   SST2 SST5        TASK/{train,dev,test}.tsv (0, 1; 0 to 4)
//   TREC             TREC/{train,test}.tsv (ABBR DESC ENTY HUM LOC NUM)
//   MRPC             MRPC/{train,test}.tsv (0, 1)
// SentEval's own (data/downstream), of which MR, CR, SUBJ, MPQA and TREC are Latin-1:
//   MR/rt-polarity.{pos,neg}  CR/custrev.{pos,neg}  SUBJ/subj.{objective,subjective}
//   MPQA/mpqa.{pos,neg}  TREC/{train_5500,TREC_10}.label
//   SST/binary/sentiment-{train,dev,test}  SST/fine/sentiment-{train,dev,test}
//   MRPC/msr_paraphrase_{train,test}.txt
// kArgument for an unknown task, kNotFound naming both layouts, kIo, kFormat with file and line.
TransferData read_transfer(const std::string& folder, const std::string& task);

}  // namespace contrastive::eval
