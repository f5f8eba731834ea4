#include "capi/program/serve/memory.h"

#include <string>

#include "capi/program/serve/answer.h"

namespace contrastive::cli::serve {
namespace {

constexpr int64_t kShortBytes = 64 << 10;

}  // namespace

int64_t Memory::most(int64_t bytes) const { return bytes > kShortBytes ? limit_ / 4 * 3 : limit_; }

bool Memory::replace(int64_t before, int64_t after) {
  int64_t held = held_;
  do {
    if (after > before && held - before + after > most(after)) return false;
  } while (!held_.compare_exchange_weak(held, held - before + after));
  return true;
}

bool Share::hold(int64_t bytes) {
  if (!memory_->replace(bytes_, bytes)) return false;
  bytes_ = bytes;
  return true;
}

void Share::require(int64_t more) {
  const int64_t wanted = bytes_ + more;
  if (hold(wanted)) return;
  if (wanted > memory_->most(wanted)) {
    throw Refusal(422, "answer_too_large",
                  "the request and its answer need " + std::to_string(wanted) +
                      " bytes of memory, and this server gives one request " +
                      std::to_string(memory_->most(wanted)) +
                      ": ask for less, or start it with a larger --max-memory-bytes");
  }
  throw Refusal(503, "overloaded", "the memory for answers is full: send the request again later")
      .after(1);
}

}  // namespace contrastive::cli::serve
