// The task "triplets": how often a text is nearer to its positive than to its negative.
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/retrieval/triplets.h"
#include "core/eval/task.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {
namespace {

struct TripletsOptions {
  std::string data;
  double margin = 0;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data,
           OptionDoc("file of 'anchor TAB positive TAB negative' lines")
               .source("NLI: premise, entailed and contradicting sentence"));
    v.real("margin", margin, at_least(0),
           OptionDoc("the positive's similarity must exceed the negative's by more than this")
               .source("sentence-transformers: 0"));
    v.nested("encode.", encode);
  }
};

TripletsOptions triplets_options(const Config& config) {
  auto options = read_options<TripletsOptions>(config);
  check(!options.data.empty(), Status::kArgument,
        "data is not set: a file of 'anchor TAB positive TAB negative' lines is needed");
  return options;
}

Json run_triplets(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const TripletsOptions options = triplets_options(config);
  return evaluate_triplets(read_triplets(options.data),
                           text_encoder(model, options.encode.resolved(cancel)), options.margin)
      .to_json();
}

Json outline_triplets(const Config& config) {
  read_triplets(triplets_options(config).data);
  TripletsReport report;
  for (const auto& [name, metric] : retrieval::metric_names())
    report.accuracy.emplace_back(name, 0);
  return report.to_json();
}

}  // namespace

Task triplets_task() { return make_task<TripletsOptions>(run_triplets, outline_triplets); }

}  // namespace contrastive::eval
