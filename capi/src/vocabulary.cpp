// cs_vocabulary_train: trains a tokenizer's vocabulary.
#include "core/vocabulary/learn_vocabulary.h"

#include "capi/src/guard.h"
#include "capi/src/model_objects.h"

using namespace contrastive;
using namespace contrastive::capi;

cs_status cs_vocabulary_train(const char* input, const char* output, const cs_config* config,
                              const cs_cancel* cancel, cs_error** error) {
  return guard(error, [&] {
    need_pointer(input, "input");
    need_pointer(output, "output");
    const Config keys = config_or_empty(config);
    reject_unknown_keys(keys, describe_options<vocabulary::VocabularyOptions>());
    const auto options = read_options<vocabulary::VocabularyOptions>(keys);
    options.validate(keys);
    const auto flag = cancel_or_none(cancel);
    vocabulary::learn_vocabulary(input, output, options, flag.get());
  });
}
