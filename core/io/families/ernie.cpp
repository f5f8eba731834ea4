// ERNIE: BERT with its own names. Its later models add a learned row for the task type to every
// token.
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

void describe_ernie(ConfigKeys& keys, encoder::Architecture& a) {
  only_learned_positions(keys);
  keys.only("use_task_id", false);
  describe_sizes(keys, a);
  describe_bert_rest(keys, a, 0);
  a.mlm_act = a.hidden_act;
}

}  // namespace

Family ernie_family() {
  return with_pooler_classifier({"ernie",
                                 "ERNIE",
                                 {{"ernie", "Ernie"}},
                                 "Model",
                                 "ForMaskedLM",
                                 "ernie.",
                                 describe_ernie,
                                 bert_modules,
                                 bert_mlm_head()});
}

}  // namespace contrastive::io
