// The task "paraphrases": how many of the most similar pairs among many texts are paraphrases.
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/model_metric.h"
#include "core/eval/retrieval/paraphrase_files.h"
#include "core/eval/retrieval/paraphrases.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

struct ParaphrasesOptions {
  std::string data;
  std::string texts, duplicates;
  bool transitive = false;
  ChosenMetric similarity = ChosenMetric::kModel;
  SimilarPairOptions mining;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data,
           "file of 'label TAB text TAB text' lines; label 1: paraphrases. All texts in it are "
           "searched");
    v.text(
        "texts", texts,
        OptionDoc("instead of data: file of 'id TAB text' lines").source("sentence-transformers"));
    v.text("duplicates", duplicates,
           OptionDoc("instead of data: file of 'id TAB id' lines, the paraphrases")
               .source("sentence-transformers"));
    v.flag("transitive", transitive,
           OptionDoc("paraphrases of a paraphrase are paraphrases")
               .source("sentence-transformers: add_transitive_closure"));
    v.choice("similarity", similarity, metric_choices(),
             "similarity of two texts; distances are negated; model: the model's own");
    v.integer("top_k", mining.top_k, between(1, 10000),
              OptionDoc("number of nearest texts to retrieve for each text")
                  .source("sentence-transformers: 100")
                  .unit("texts"));
    v.integer("max_pairs", mining.max_pairs, between(1, 1e8),
              OptionDoc("number of most similar pairs to keep")
                  .source("sentence-transformers: 500000")
                  .unit("pairs"));
    v.real("min_score", mining.min_score, Range{}, "pairs with a lower similarity are not kept");
    v.nested("encode.", encode);
  }

  ParaphraseData read() const {
    const bool two = !texts.empty() && !duplicates.empty(),
               any = !texts.empty() || !duplicates.empty();
    check(data.empty() ? two : !any, Status::kArgument,
          "set either data (a TSV of label and two texts) or both of texts and duplicates");
    return data.empty() ? read_paraphrase_files(texts, duplicates, transitive)
                        : read_paraphrase_pairs(data, transitive);
  }
};

Json run_paraphrases(const model::SentenceEncoder& model, const Config& config,
                     const Cancel* cancel) {
  auto options = read_options<ParaphrasesOptions>(config);
  options.mining.cancel = cancel;
  options.mining.metric = metric_for(options.similarity, model);
  return evaluate_paraphrases(options.read(), text_encoder(model, options.encode.resolved(cancel)),
                              options.mining)
      .to_json();
}

Json outline_paraphrases(const Config& config) {
  check_paraphrases(read_options<ParaphrasesOptions>(config).read());
  return ParaphrasesReport().to_json();
}

}  // namespace

Task paraphrases_task() {
  return make_task<ParaphrasesOptions>(run_paraphrases, outline_paraphrases);
}

}  // namespace contrastive::eval
