#include "core/io/folder_snapshot.h"

#include <chrono>
#include <thread>

#include "core/base/file.h"
#include "core/io/atomic_folder.h"

namespace contrastive::io {
namespace {

constexpr int kMostAttempts = 20;
constexpr int kMostWaits =
    1000;  // while the folder is away; a process that was killed never puts it back
constexpr std::chrono::milliseconds kWait(1);

}  // namespace

bool must_read_again(const HeldFolder& held, int attempt) {
  for (int i = 0; i < kMostWaits && held.was_absent() && is_away(held.path()); ++i) {
    std::this_thread::sleep_for(kWait);
  }
  if (held.is_current()) return false;
  check(attempt < kMostAttempts, Status::kBusy, held.path(), ": was replaced ", attempt,
        " times while it was read. Read it again when no program saves to it");
  return true;
}

}  // namespace contrastive::io
