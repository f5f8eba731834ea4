#include "core/runtime/need_stack.h"

#include "core/base/error.h"
#include "core/system/stack.h"

namespace contrastive::runtime {

void need_stack(size_t bytes) {
  const size_t left = system::stack_left();
  check(left >= bytes, Status::kLimit, "this thread has ", left / 1024,
        " KiB of its stack left and ", bytes / 1024,
        " are needed: call from a thread with a larger stack");
}

}  // namespace contrastive::runtime
