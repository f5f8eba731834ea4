// A table over all code points, in pages of 256 entries that are computed when a text first needs
// them. The few pages that a text uses stay in the cache, and loading a tokenizer takes no time for
// scripts that are never used. Any number of threads may read (and thereby fill) it at once.
#pragma once

#include <array>
#include <atomic>
#include <memory>

namespace contrastive::text {

template <class Entry>
class LazyPages {
 public:
  LazyPages() = default;
  LazyPages(const LazyPages&) = delete;
  LazyPages& operator=(const LazyPages&) = delete;
  ~LazyPages() {
    for (auto& page : pages_) delete page.load(std::memory_order_relaxed);
  }

  // The entry of `c` (at most U+10FFFF). `fill(c)` computes one entry and must return the same
  // value in every thread.
  template <class Fill>
  const Entry& at(char32_t c, const Fill& fill) const {
    const Page* page = pages_[c >> 8].load(std::memory_order_acquire);
    if (page == nullptr) page = make(c >> 8, fill);
    return (*page)[c & 0xFF];
  }

 private:
  using Page = std::array<Entry, 256>;

  template <class Fill>
  const Page* make(char32_t index, const Fill& fill) const {
    auto made = std::make_unique<Page>();
    for (char32_t i = 0; i < 256; ++i) (*made)[i] = fill((index << 8) | i);
    const Page* present = nullptr;
    // Two threads may compute the same page. The second one discards its copy.
    if (pages_[index].compare_exchange_strong(present, made.get(), std::memory_order_acq_rel))
      return made.release();
    return present;
  }

  mutable std::array<std::atomic<const Page*>, 0x1100> pages_{};
};

}  // namespace contrastive::text
