// XLM-RoBERTa: RoBERTa, in a hundred languages.
#include "core/io/families/bert.h"

namespace contrastive::io {

Family xlm_roberta_family() {
  return roberta_as("xlm-roberta", "XLM-RoBERTa", "XLMRoberta", "XLMRobertaTokenizer");
}

}  // namespace contrastive::io
