#include "core/eval/sts/sts_keys.h"

#include "core/base/error.h"

namespace contrastive::eval {

void StsKeys::visit(OptionVisitor& v) {
  v.text("data", data,
         OptionDoc("file of 'score TAB sentence TAB sentence' lines, or file or folder of a "
                   "published data set (SemEval STS, STS-B, SICK), or a folder of such folders")
             .source("SentEval's STS folder"));
  v.choice("split", split, sts_split_names(), "split of a data set that has splits; empty: test");
  v.choice("similarity", similarity, metric_choices(),
           OptionDoc("similarity of the two sentences of a pair; distances are negated; model: the "
                     "model's own")
               .source("cosine: every paper"));
  v.choice("aggregate", aggregate, sts_aggregate_names(),
           OptionDoc("the main figure of a data set: over all pairs, or the mean of its subsets, "
                     "unweighted or weighted by pairs")
               .source("all: ConSERT, SG-OPT, SimCSE; wmean: SentEval"));
}

std::vector<StsSet> StsKeys::read() const {
  check(!data.empty(), Status::kArgument,
        "data is not set: a file or folder of scored pairs is needed, such as lines 'score TAB "
        "sentence TAB sentence'");
  return read_sts_sets(data, split);
}

}  // namespace contrastive::eval
