// The task "sts".
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/sts/sts.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

struct StsOptions {
  std::string data;
  retrieval::Metric similarity = retrieval::Metric::kCosine;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data, {"file of 'score TAB sentence TAB sentence' lines, or folder of such files (*.tsv), one subset each", "STS 2012-2016", ""});
    v.choice("similarity", similarity, retrieval::metric_names(),
             {"between the two sentences of a pair; distances are negated", "cosine: every paper", ""});
    v.nested("encode.", encode);
  }
};

Json run(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const auto options = read_options<StsOptions>(config);
  check(!options.data.empty(), Status::kArgument, "data is not set: a file or folder of 'score TAB sentence TAB sentence' lines is needed");
  return evaluate_sts(read_sts(options.data), text_encoder(model, options.encode.resolved(cancel)), options.similarity).to_json();
}

}  // namespace

const Task kStsTask = {"sts", "how well similarities rank pairs that people have scored", run, describe_task_options<StsOptions>};

}  // namespace contrastive::eval
