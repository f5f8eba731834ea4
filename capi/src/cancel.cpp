// cs_cancel: a flag that any thread may set to cancel running calls.
#include "capi/src/guard.h"
#include "capi/src/objects.h"

using namespace contrastive::capi;

cs_cancel* cs_cancel_new(cs_error** error) {
  return construct(error, [] { return make_handle<cs_cancel>(std::make_shared<CancelObject>()); });
}

void cs_cancel_trigger(cs_cancel* cancel) {
  if (const auto object = find(cancel)) object->cancel.trigger();
}

void cs_cancel_free(cs_cancel* cancel) { release(cancel); }
