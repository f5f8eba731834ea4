#include "core/torch/tasks/transfer/transfer_options.h"

#include <utility>

#include "core/base/error.h"

namespace contrastive::eval {
namespace {

struct PresetKey {
  TransferPreset preset = TransferPreset::kDefault;
  void visit(OptionVisitor& v) {
    TransferOptions all;
    all.visit_preset(v);
    preset = all.preset;
  }
};

}  // namespace

void TransferOptions::visit(OptionVisitor& v) {
  v.text("data", data,
         OptionDoc("folder with SentEval's downstream data, or with TASK/{all,train,dev,test}.tsv "
                   "of 'label TAB text' lines")
             .source("SentEval"));
  v.list("tasks", tasks,
         OptionDoc(
             "tasks to measure and to average: some of MR, CR, SUBJ, MPQA, SST2, SST5, TREC, MRPC")
             .source("SG-OPT: these seven"));
  visit_preset(v);
  v.integer("kfold", kfold, between(2, 1e4),
            OptionDoc("folds of cross-validation, the outer and the inner one")
                .source("SentEval: 10")
                .unit("folds"));
  fit.visit(v);
  v.numbers("l2", l2, between(0, 1e6),
            OptionDoc("candidate weight decays of the classifier, chosen on held-out examples")
                .source("SentEval"));
  v.integers("seeds", seeds, at_least(0),
             OptionDoc(
                 "one run for each seed; for several, mean and standard deviation are reported")
                 .source("SentEval: 1111"));
  v.nested("encode.", encode);
}

void TransferOptions::visit_preset(OptionVisitor& v) {
  v.choice("preset", preset,
           {{"default", TransferPreset::kDefault},
            {"prototyping", TransferPreset::kPrototyping},
            {"sg-opt", TransferPreset::kSgOpt}},
           OptionDoc("defaults of the classifier's keys: prototyping has kfold 5, rmsprop, "
                     "batch_size 128, tenacity 3, epoch_size 2; sg-opt has nhid 50 and eight seeds")
               .source("SentEval, SG-OPT"));
}

TransferOptions read_transfer_options(const Config& config) {
  TransferOptions options;
  switch (read_options<PresetKey>(config).preset) {
    case TransferPreset::kDefault: break;
    case TransferPreset::kPrototyping:
      options.kfold = 5;
      options.fit.optimizer = "rmsprop";
      options.fit.batch_size = 128;
      options.fit.tenacity = 3;
      options.fit.epoch_size = 2;
      break;
    case TransferPreset::kSgOpt:
      options.fit.nhid = 50;
      options.seeds = {1, 2, 3, 4, 1234, 2345, 3456, 7890};
      break;
  }
  options = read_options<TransferOptions>(config, "", std::move(options));
  check(!options.data.empty(), Status::kArgument,
        "data is not set: the folder with the data of the transfer tasks is needed");
  check(!options.tasks.empty(), Status::kArgument, "tasks is an empty list");
  return options;
}

}  // namespace contrastive::eval
