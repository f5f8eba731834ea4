// The task "pairs": whether similarities tell pairs that belong together from the others.
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/retrieval/pairs.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

struct PairsOptions {
  std::string data;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data,
           OptionDoc("file of 'label TAB text TAB text' lines; label 1: the texts belong together, "
                     "0: they do not")
               .source("MRPC"));
    v.nested("encode.", encode);
  }
};

PairsOptions pairs_options(const Config& config) {
  auto options = read_options<PairsOptions>(config);
  check(!options.data.empty(), Status::kArgument,
        "data is not set: a file of 'label TAB text TAB text' lines is needed");
  return options;
}

Json run_pairs(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const PairsOptions options = pairs_options(config);
  return evaluate_pairs(read_labelled_pairs(options.data),
                        text_encoder(model, options.encode.resolved(cancel)))
      .to_json();
}

Json outline_pairs(const Config& config) {
  read_labelled_pairs(pairs_options(config).data);
  PairsReport report;
  for (const auto& [name, metric] : retrieval::metric_names())
    report.metrics.push_back({name, {}, {}});
  return report.to_json();
}

}  // namespace

Task pairs_task() { return make_task<PairsOptions>(run_pairs, outline_pairs); }

}  // namespace contrastive::eval
