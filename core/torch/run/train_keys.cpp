// The trainer's own config keys, one line of help each.
#include "core/runtime/threads.h"
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
            OptionDoc("batches of one update; 'negatives' decides how they are combined")
                .unit("batches"));
  v.choice(
      "negatives", o.negatives, {{"micro", Negatives::kMicro}, {"global", Negatives::kGlobal}},
      OptionDoc(
          "with accumulate above 1: micro = every batch has its own negatives, and the gradients "
          "are averaged; global = all examples of the update are compared with each other, with a "
          "second pass of the encoder, and the split into batches does not change the result")
          .source("micro: the code of all four papers; global: Gao et al., 2021"));
  v.integer("epochs", o.epochs, between(1, 1e9),
            OptionDoc("passes over the dataset").unit("epochs").may_change());
  v.integer("max_steps", o.max_steps, at_least(0),
            OptionDoc(
                "number of updates; 0 = as 'epochs' says; if both are set, the shorter run applies")
                .unit("updates")
                .may_change());
  v.choice("last_batch", o.last_batch, {{"keep", LastBatch::kKeep}, {"drop", LastBatch::kDrop}},
           "what to do with an epoch's last batch if it is not full");
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
           OptionDoc("order of batches in a run with several tasks (task2.dataset): proportional = "
                     "all batches of all datasets once an epoch, in random order; round_robin = a "
                     "batch of each dataset in turn, until the smallest dataset is used up")
               .source("sentence-transformers: proportional"));
  v.choice("on_nan", o.on_nan, {{"stop", OnNan::kStop}, {"skip", OnNan::kSkip}},
           OptionDoc("if a loss or gradient is not finite: stop with the weights unchanged, or "
                     "skip the update")
               .may_change());
  v.text("cache", o.cache,
         OptionDoc("folder that stores what a method computes once, for later runs; empty = keep "
                   "it in memory")
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
         OptionDoc("keep only each layer's input for the backward pass and recompute the rest: "
                   "less memory, a third more work, bit-identical results on the CPU")
             .may_change());
  v.integer("threads", o.threads, between(0, runtime::kMaxThreads),
            OptionDoc("threads that an update or evaluation uses at most, besides data_threads, so "
                      "that training in the background leaves processors to others; 0 = all "
                      "threads of the process")
                .unit("threads")
                .may_change());
  v.integer("data_threads", o.data_threads, between(0, 64),
            OptionDoc("threads that read and tokenise the texts of the next updates during "
                      "training; 0 = the training thread does it. Results do not depend on it")
                .unit("threads")
                .may_change());
}

void visit_records(TrainOptions& o, OptionVisitor& v) {
  v.text("metrics_file", o.metrics_file,
         OptionDoc(
             "file to which JSON lines of metrics are appended; null means not measured since the "
             "previous line. A killed run that resumes from its last save repeats the steps after "
             "it: use the last line of each step. An existing file without such lines is refused")
             .may_change());
  v.text("metrics_csv", o.metrics_csv,
         OptionDoc("like metrics_file, but a CSV table with a header line; a metric that appears "
                   "later, such as the loss of a later stage, adds a column; an existing file "
                   "without such a table is refused")
             .may_change());
  v.integer(
      "metrics_every", o.metrics_every, between(1, 1e9),
      OptionDoc("updates between two lines of the metrics files").unit("updates").may_change());
  v.integer("watch_every", o.watch_every, at_least(0),
            OptionDoc("updates between two checks of a batch's vectors for collapse "
                      "(view.alignment, view.uniformity, view.mean_cosine, view.effective_rank, "
                      "view.zero_vectors); the last planned update is checked too; 0 = never")
                .unit("updates")
                .may_change());
  v.text(
      "checkpoints", o.checkpoints,
      OptionDoc(
          "folder for automatic checkpoints: step-N every 'save_every' updates and at the end, and "
          "best, the best weights on 'dev'; a run with stages has a subfolder for each stage")
          .may_change());
  v.integer("save_every", o.save_every, at_least(0),
            OptionDoc("updates between two automatic checkpoints; 0 = at the end only")
                .unit("updates")
                .may_change());
  v.integer("keep", o.keep, at_least(0),
            OptionDoc("number of newest automatic checkpoints to keep; 0 = all")
                .unit("checkpoints")
                .may_change());
}

void visit_optimizer(TrainOptions& o, OptionVisitor& v) {
  v.nested("", o.optimizer);
  v.real(
      "clip_norm", o.clip_norm, between(0, 1e9),
      OptionDoc("maximum norm of the gradient; 0 = no limit").source("sentence-transformers: 1"));
}

void visit_schedule(TrainOptions& o, OptionVisitor& v) {
  v.real("lr", o.lr, above(0, 1000), "peak learning rate");
  v.choice("schedule", o.schedule,
           {{"constant", optim::Schedule::kConstant},
            {"warmup-linear", optim::Schedule::kWarmupLinear},
            {"warmup-cosine", optim::Schedule::kWarmupCosine},
            {"fairseq-linear", optim::Schedule::kFairseqLinear}},
           "schedule of the learning rate");
  v.integer("warmup_steps", o.warmup_steps, at_least(0),
            OptionDoc("updates in which the learning rate rises from 0").unit("updates"));
  v.real("warmup_ratio", o.warmup_ratio, between(0, 1), "warm-up as a share of the run");
  v.integer("warmup_epochs", o.warmup_epochs, at_least(0),
            OptionDoc("warm-up in passes over the dataset").unit("epochs"));
  v.real("lr_decay", o.lr_decay, between(0, 1),
         OptionDoc("the learning rate is further divided by 1 + lr_decay * update")
             .source("the other reading of CLSR's decay rate 0.0001"));
}

void visit_dev(TrainOptions& o, OptionVisitor& v) {
  v.text("dev", o.dev,
         OptionDoc("file to measure progress on: lines 'score TAB text TAB text', or 'text TAB "
                   "text' for pairs to retrieve; for a reranker, lines with scores, or queries "
                   "with right and wrong documents, as mining writes them")
             .may_change());
  v.choice(
      "dev_task", o.dev_task,
      {{"auto", DevTask::kAuto},
       {"sts", DevTask::kSts},
       {"pairs", DevTask::kPairs},
       {"rerank", DevTask::kRerank}},
      OptionDoc(
          "sts = Spearman correlation with the scores (accuracy for a reranker with classes); "
          "pairs = mean reciprocal rank of each pair's second text; rerank = NDCG@10 of the right "
          "documents among the wrong ones of each query; auto = decided by the file's first line")
          .may_change());
  v.integer(
      "eval_every", o.eval_every, at_least(0),
      OptionDoc("updates between dev evaluations; 0 = at the end").unit("updates").may_change());
  v.integer("eval_every_epochs", o.eval_every_epochs, at_least(0),
            OptionDoc("eval_every in passes over the dataset").unit("epochs").may_change());
  v.flag(
      "eval_each_epoch", o.eval_each_epoch,
      OptionDoc(
          "eval_every counts from the start of each epoch, and each epoch ends with an evaluation")
          .source("sentence-transformers, and with it ConSERT and SG-OPT")
          .may_change());
  v.flag("eval_at_start", o.eval_at_start,
         OptionDoc("a dev evaluation before the first update").source("SG-OPT's code"));
  v.integer("patience", o.patience, at_least(0),
            OptionDoc("dev evaluations that 'early_stop' counts before the run ends early; an "
                      "undefined score counts too; 0 = never")
                .unit("evaluations")
                .may_change());
  v.choice("early_stop", o.early_stop,
           {{"best", StopRule::kBest}, {"previous", StopRule::kPrevious}},
           OptionDoc(
               "what patience counts: best = evaluations since the best score; previous = all "
               "evaluations with a lower score than the one before; unused if patience is 0")
               .source("best: ConSERT; previous: SG-OPT")
               .may_change());
  v.integer("evaluate_every", o.evaluate_every, at_least(0),
            OptionDoc("updates between two runs of the tasks in keys 'evaluate.*', which also run "
                      "at the end; 0 = with the dev evaluations")
                .unit("updates")
                .may_change());
  v.text(
      "dev_select", o.dev_select,
      OptionDoc(
          "the score that chooses the best weights and that patience watches, higher is better: "
          "dev (of the dev file), or a figure of a task in 'evaluate.*', such as sts.spearman.all")
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
