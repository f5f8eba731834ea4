// cs_evaluate: measures a model on a task.
#include "core/eval/evaluate.h"

#include "capi/src/guard.h"
#include "capi/src/model_objects.h"

using namespace contrastive;
using namespace contrastive::capi;

char* cs_evaluate_outline(const char* task, const cs_config* config, cs_error** error) {
  return construct(error, [&] {
    need_pointer(task, "task");
    need(config, "config");
    const Config keys = config_or_empty(config);
    return copy_string(dump_ascii(eval::outline_of_task(task, keys)));
  });
}

char* cs_evaluate(const cs_model* model, const char* task, const cs_config* config,
                  const cs_cancel* cancel, cs_error** error) {
  return construct(error, [&] {
    const ModelUse use(model);
    need_pointer(task, "task");
    need(config, "config");
    // A copy, so that other threads can use the config while the task runs.
    const Config keys = config_or_empty(config);
    const auto flag = cancel_or_none(cancel);
    const ModelObject& object = use.object();
    return copy_string(dump_ascii(object.encoder
                                      ? eval::evaluate(*object.encoder, task, keys, flag.get())
                                      : eval::evaluate(*object.reranker, task, keys, flag.get())));
  });
}
