// cs_cancel: a flag that any thread may set to cancel running calls, and that tells their progress.
#include <utility>

#include "capi/src/guard.h"
#include "capi/src/objects.h"

using namespace contrastive::capi;

cs_cancel* cs_cancel_new(cs_error** error) {
  return construct(error, [] { return make_handle<cs_cancel>(std::make_shared<CancelObject>()); });
}

void cs_cancel_trigger(cs_cancel* cancel) {
  if (const auto object = find(cancel)) object->cancel.trigger();
}

cs_status cs_cancel_set_progress(cs_cancel* cancel, cs_progress_function function, void* user,
                                 cs_error** error) {
  return guard(error, [&] {
    const auto object = need(cancel, "cancel");
    contrastive::ProgressListener listener;
    if (function != nullptr) {
      listener = [function, user](const char* what, int64_t done, int64_t total) {
        const InsideCallback inside(Callback::kProgress);
        const contrastive::host::HostCode here;
        function(what, done, total, user);
      };
    }
    object->cancel.set_listener(std::move(listener));
  });
}

void cs_cancel_free(cs_cancel* cancel) { release(cancel); }
