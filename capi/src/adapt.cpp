// cs_adapt: adapts a model to pairs of texts in one call.
#include "core/adapt/adapt.h"

#include <optional>

#include "capi/src/guard.h"
#include "capi/src/model_objects.h"

using namespace contrastive;
using namespace contrastive::capi;

char* cs_adapt(const cs_model* model, const cs_dataset* pairs, const cs_dataset* corpus,
               const char* output, const cs_config* config, const cs_cancel* cancel,
               cs_error** error) {
  return construct(error, [&] {
    const EncoderUse start(model, "model",
                           "Train it with cs_trainer_new and \"method\" = \"reranker\"");
    const auto pair_data = need(pairs, "pairs");
    const auto corpus_data = corpus == nullptr ? nullptr : need(corpus, "corpus");
    check(pair_data != corpus_data, Status::kArgument,
          "corpus is the dataset of the pairs: leave it out, and their documents are what is "
          "searched");
    need_pointer(output, "output");
    const Config keys = config_or_empty(config);
    const auto flag = cancel_or_none(cancel);
    const Exclusive reads_pairs(pair_data->busy, "dataset of the pairs");
    std::optional<Exclusive> reads_corpus;
    if (corpus_data != nullptr) reads_corpus.emplace(corpus_data->busy, "dataset of the corpus");
    const adapt::AdaptInput input{start.shared(), start.fingerprint(), *pair_data->data,
                                  corpus_data == nullptr ? nullptr : corpus_data->data.get()};
    return copy_string(dump_ascii(adapt::adapt(input, output, keys, flag.get())));
  });
}
