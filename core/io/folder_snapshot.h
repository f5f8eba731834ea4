// Reads several files of one folder so that all of them come from the same save. If the folder is
// replaced meanwhile (core/io/atomic_folder.h), it is read again.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/held_folder.h"

namespace contrastive::io {

// True if the folder has been replaced since `held` was made. If the folder is away for a moment,
// waits for it. `attempt` counts from 1: throws kBusy if the folder was replaced during too many
// attempts.
bool must_read_again(const HeldFolder& held, int attempt);

// Returns what `read` returns. `read` opens files by their paths below `folder`, through
// core/base/file.h and on this thread. It may be called several times, so it must have no side
// effects. An error of `read` is thrown only if the folder is still the one that was read.
template <class Read>
auto read_snapshot(const std::string& folder, const Read& read) -> decltype(read()) {
  for (int attempt = 1;; ++attempt) {
    const HeldFolder held(folder);
    try {
      auto result = read();
      if (!must_read_again(held, attempt)) return result;
    } catch (const Error&) {
      if (!must_read_again(held, attempt)) throw;
    }
  }
}

}  // namespace contrastive::io
