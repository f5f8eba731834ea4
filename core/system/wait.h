// Sleeping on a word of memory: Linux's futex, and what other systems have in its place.
#pragma once

#include <atomic>
#include <cstdint>

namespace contrastive::system {

// Sleeps while the word is `value`. May return earlier.
void sleep_while(std::atomic<uint32_t>& word, uint32_t value) noexcept;
// Wakes at most `most` threads that sleep on the word.
void wake(std::atomic<uint32_t>& word, int most) noexcept;

}  // namespace contrastive::system
