// The data of SentEval's transfer tasks, from SentEval's own files or from plain TSV
// (core/torch/tasks/transfer/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::eval {

// How a task is measured: which parts it has.
enum class TransferProtocol { kNestedFolds, kFoldsOfTrain, kGivenDev };

struct TransferData {
  struct Part {
    std::vector<std::string> first, second;  // `second` is empty where a text stands alone
    std::vector<int64_t> labels;             // below `classes`
  };
  std::string task;
  TransferProtocol protocol = TransferProtocol::kNestedFolds;
  bool pairs = false;
  int64_t classes = 0;
  Part train;  // everything, for kNestedFolds
  Part dev;    // kGivenDev only
  Part test;   // not for kNestedFolds
};

// MR, CR, SUBJ, MPQA, SST2, SST5, TREC, MRPC.
std::vector<std::string> transfer_task_names();

// One task's data in `folder`, which has one of two layouts.
//
// TSV in UTF-8, with lines "label TAB text" or "label TAB text TAB text":
//   MR CR SUBJ MPQA  TASK/all.tsv (0, 1)
//   SST2             SST2/{train,dev,test}.tsv (0, 1)
//   SST5             SST5/{train,dev,test}.tsv (0 to 4)
//   TREC             TREC/{train,test}.tsv (ABBR DESC ENTY HUM LOC NUM)
//   MRPC             MRPC/{train,test}.tsv (0, 1)
//
// SentEval's data/downstream. The files of the first five tasks are Latin-1:
//   MR    MR/rt-polarity.{pos,neg}
//   CR    CR/custrev.{pos,neg}
//   SUBJ  SUBJ/subj.{objective,subjective}
//   MPQA  MPQA/mpqa.{pos,neg}
//   TREC  TREC/{train_5500,TREC_10}.label
//   SST2  SST/binary/sentiment-{train,dev,test}
//   SST5  SST/fine/sentiment-{train,dev,test}
//   MRPC  MRPC/msr_paraphrase_{train,test}.txt
//
// kArgument for an unknown task, kNotFound naming both layouts, kIo, kFormat with file and line.
TransferData read_transfer(const std::string& folder, const std::string& task);

}  // namespace contrastive::eval
