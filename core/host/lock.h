// A lock around code of the host, such as a log sink. While the process exits, that code may never
// return (Java's virtual machine holds its threads then), so nobody waits for the lock any more.
#pragma once

#include <chrono>
#include <mutex>

#include "core/host/exit.h"

namespace contrastive::host {

// ThreadSanitizer of GCC 12 does not recognise a lock with a timeout on the steady clock, so it
// gets the system clock.
#ifdef __SANITIZE_THREAD__
using LockClock = std::chrono::system_clock;
#else
using LockClock = std::chrono::steady_clock;
#endif

// Owns no lock if exit() began before the lock was free.
inline std::unique_lock<std::timed_mutex> lock_until_exit(std::timed_mutex& mutex) {
  std::unique_lock<std::timed_mutex> lock(mutex, std::defer_lock);
  while (!exit_began() && !lock.try_lock_until(LockClock::now() + std::chrono::milliseconds(20))) {
  }
  return lock;
}

}  // namespace contrastive::host
