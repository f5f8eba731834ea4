// CamemBERT: RoBERTa, in French.
#include "core/io/families/bert.h"

namespace contrastive::io {

Family camembert_family() {
  return roberta_as("camembert", "CamemBERT", "Camembert", "CamembertTokenizer");
}

}  // namespace contrastive::io
