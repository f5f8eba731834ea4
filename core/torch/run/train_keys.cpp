// The trainer's own config keys, one line of help each.
#include "core/torch/run/train_options.h"

namespace contrastive::run {
namespace {

void visit_run(TrainOptions& o, OptionVisitor& v) {
  std::vector<std::string> methods;
  for (const auto& entry : methods::all_methods()) methods.push_back(entry.name);
  v.name("method", o.method, methods, "training method");
  v.integer("seed", o.seed, at_least(0),
            "decides every random choice: order, initial weights, augmentations, dropout");
  v.integer("batch_size", o.batch_size, between(1, 1 << 20),
            OptionDoc("examples of a batch; the loss is taken over one batch").unit("examples"));
  v.integer("accumulate", o.accumulate, between(1, 1 << 20),
            OptionDoc("batches of one update; 'negatives' decides how they belong together")
                .unit("batches"));
  v.choice("negatives", o.negatives, {{"micro", Negatives::kMicro}, {"global", Negatives::kGlobal}},
           OptionDoc(
               "with accumulate above 1: every batch keeps its own negatives and the gradients are "
               "averaged (micro), or all examples of the update are compared with each other, at a "
               "second pass of the encoder, and how they are split changes nothing (global)")
               .source("micro: the code of all four papers; global: Gao et al., 2021"));
  v.integer("epochs", o.epochs, between(1, 1e9),
            OptionDoc("passes over the dataset").unit("epochs").may_change());
  v.integer("max_steps", o.max_steps, at_least(0),
            OptionDoc("updates; 0 = as many as 'epochs' says; with both set the shorter run counts")
                .unit("updates")
                .may_change());
  v.choice("last_batch", o.last_batch, {{"keep", LastBatch::kKeep}, {"drop", LastBatch::kDrop}},
           "an epoch's last batch when it is not full");
  v.integer("few_shot", o.few_shot, at_least(0),
            OptionDoc("train on this many examples, drawn by the seed; 0 = all")
                .source("ConSERT 5.3: 1 to 10,000 texts")
                .unit("examples"));
  v.flag(
      "upsample", o.upsample,
      OptionDoc(
          "repeat the examples of few_shot as often as they fit into the size of the whole dataset")
          .source("ConSERT's code"));
  v.choice("tasks.sampling", o.sampling,
           {{"proportional", data::Mixing::kProportional},
            {"round_robin", data::Mixing::kRoundRobin}},
           OptionDoc("of a run with several tasks (task2.dataset): proportional = all batches of "
                     "all datasets once an epoch, in a random order; round_robin = a batch of each "
                     "in turn, until the smallest dataset is through")
               .source("sentence-transformers: proportional"));
  v.choice("on_nan", o.on_nan, {{"stop", OnNan::kStop}, {"skip", OnNan::kSkip}},
           OptionDoc("a loss or gradient that is not finite: stop with the weights untouched, or "
                     "leave the update out")
               .may_change());
  v.text("cache", o.cache,
         OptionDoc("folder that keeps what a method computes once, across runs; empty = memory")
             .may_change());
}

void visit_resources(TrainOptions& o, OptionVisitor& v) {
  v.choice("amp", o.amp,
           {{"off", optim::Amp::kOff},
            {"bfloat16", optim::Amp::kBfloat16},
            {"float16", optim::Amp::kFloat16}},
           "mixed precision: the encoder's products in 16 bits, weights and objectives in float32; "
           "float16 needs a CUDA device and scales the loss");
  v.flag("gradient_checkpointing", o.gradient_checkpointing,
         OptionDoc("keep only each layer's input for the backward pass and compute the rest again: "
                   "less memory, a third more work, on the CPU the same bits")
             .may_change());
  v.integer("data_threads", o.data_threads, between(0, 64),
            OptionDoc("threads that read and tokenise the next updates while one trains; 0 = the "
                      "training thread itself; the run is the same")
                .unit("threads")
                .may_change());
}

void visit_records(TrainOptions& o, OptionVisitor& v) {
  v.text("metrics_file", o.metrics_file,
         OptionDoc("a JSON line of metrics is appended to this file; null is what was not measured "
                   "since the line before. A run that was killed and resumes from its last save "
                   "repeats the steps after it: the last line of a step counts. A file that exists "
                   "and has no such lines is refused")
             .may_change());
  v.text("metrics_csv", o.metrics_csv,
         OptionDoc(
             "the same as a table with a header line; a value that comes later, such as the loss "
             "of a next stage, adds a column; a file that is there and no such table is refused")
             .may_change());
  v.integer(
      "metrics_every", o.metrics_every, between(1, 1e9),
      OptionDoc("updates between two lines of the metrics files").unit("updates").may_change());
  v.integer("watch_every", o.watch_every, at_least(0),
            OptionDoc("updates between two looks at a batch's vectors for collapse, the last of "
                      "the planned ones is looked at too (view.alignment, view.uniformity, "
                      "view.mean_cosine, view.effective_rank, view.zero_vectors); 0 = never")
                .unit("updates")
                .may_change());
  v.text("checkpoints", o.checkpoints,
         OptionDoc(
             "folder for automatic checkpoints: step-N every 'save_every' updates and at the end, "
             "and best, the best weights on 'dev'; a run in stages has a folder for each in it")
             .may_change());
  v.integer("save_every", o.save_every, at_least(0),
            OptionDoc("updates between two automatic checkpoints; 0 = at the end only")
                .unit("updates")
                .may_change());
  v.integer("keep", o.keep, at_least(0),
            OptionDoc("automatic checkpoints that are kept, the newest; 0 = all")
                .unit("checkpoints")
                .may_change());
}

void visit_optimizer(TrainOptions& o, OptionVisitor& v) {
  v.nested("", o.optimizer);
  v.real("clip_norm", o.clip_norm, between(0, 1e9),
         OptionDoc("largest norm of the gradient; 0 = any").source("sentence-transformers: 1"));
}

void visit_schedule(TrainOptions& o, OptionVisitor& v) {
  v.real("lr", o.lr, above(0, 1000), "peak learning rate");
  v.choice("schedule", o.schedule,
           {{"constant", optim::Schedule::kConstant},
            {"warmup-linear", optim::Schedule::kWarmupLinear},
            {"warmup-cosine", optim::Schedule::kWarmupCosine},
            {"fairseq-linear", optim::Schedule::kFairseqLinear}},
           "course of the learning rate over the updates");
  v.integer("warmup_steps", o.warmup_steps, at_least(0),
            OptionDoc("updates in which the learning rate rises from 0").unit("updates"));
  v.real("warmup_ratio", o.warmup_ratio, between(0, 1), "the same as a part of the run");
  v.integer("warmup_epochs", o.warmup_epochs, at_least(0),
            OptionDoc("the same in passes over the dataset").unit("epochs"));
  v.real("lr_decay", o.lr_decay, between(0, 1),
         OptionDoc("the learning rate is further divided by 1 + lr_decay * update")
             .source("the other reading of CLSR's decay rate 0.0001"));
}

void visit_dev(TrainOptions& o, OptionVisitor& v) {
  v.text("dev", o.dev,
         OptionDoc("file to measure progress on: lines 'score TAB text TAB text', or 'text TAB "
                   "text' for pairs to be found again; of a reranker the former, or queries with "
                   "right and wrong documents, as mining writes them")
             .may_change());
  v.choice("dev_task", o.dev_task,
           {{"auto", DevTask::kAuto},
            {"sts", DevTask::kSts},
            {"pairs", DevTask::kPairs},
            {"rerank", DevTask::kRerank}},
           OptionDoc("Spearman correlation with scores (sts; of a reranker with classes the share "
                     "of right ones), mean reciprocal rank of each pair's second text (pairs), or "
                     "NDCG@10 of the right documents among the wrong ones of each query (rerank); "
                     "auto goes by the file's first line")
               .may_change());
  v.integer(
      "eval_every", o.eval_every, at_least(0),
      OptionDoc("updates between dev evaluations; 0 = at the end").unit("updates").may_change());
  v.integer("eval_every_epochs", o.eval_every_epochs, at_least(0),
            OptionDoc("the same in passes over the dataset").unit("epochs").may_change());
  v.flag(
      "eval_each_epoch", o.eval_each_epoch,
      OptionDoc(
          "eval_every counts from the start of each epoch, and each epoch ends with an evaluation")
          .source("sentence-transformers, and with it ConSERT and SG-OPT")
          .may_change());
  v.flag("eval_at_start", o.eval_at_start,
         OptionDoc("a dev evaluation before the first update").source("SG-OPT's code"));
  v.integer("patience", o.patience, at_least(0),
            OptionDoc("dev evaluations without success, such as an undefined score, before the run "
                      "ends early; 0 = never")
                .unit("evaluations")
                .may_change());
  v.choice("early_stop", o.early_stop,
           {{"best", StopRule::kBest}, {"previous", StopRule::kPrevious}},
           OptionDoc("patience counts evaluations without a new best, from 0 after each; or all "
                     "evaluations below the one before; without a use where patience is 0")
               .source("best: ConSERT; previous: SG-OPT")
               .may_change());
  v.integer("evaluate_every", o.evaluate_every, at_least(0),
            OptionDoc("updates between two runs of the tasks that keys 'evaluate.*' name, and one "
                      "at the end; 0 = with the dev evaluations")
                .unit("updates")
                .may_change());
  v.text(
      "dev_select", o.dev_select,
      OptionDoc(
          "the figure that the best weights are chosen by and patience looks at, higher is better: "
          "dev, the dev file's, or one of a task of 'evaluate.*', such as sts.spearman.all")
          .may_change());
}

}  // namespace

void TrainOptions::visit(OptionVisitor& v) {
  visit_run(*this, v);
  visit_resources(*this, v);
  visit_schedule(*this, v);
  visit_optimizer(*this, v);
  visit_dev(*this, v);
  visit_records(*this, v);
  v.nested(CardOptions::kPrefix, card);
}

}  // namespace contrastive::run
