// The library's thread pool. It runs all work on the CPU together with the calling threads. A piece
// of work is a number of items, which threads take one after the other from a counter. A thread
// that is descheduled delays only the item that it holds, and work also completes if no second
// thread joins. A waiting thread polls for some tens of microseconds and then sleeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace contrastive::runtime {

// Refers to the caller's function object, which runs for each item. Allocates nothing.
class ItemBody {
 public:
  template <class Function, class = std::enable_if_t<!std::is_same_v<Function, ItemBody>>>
  ItemBody(const Function& function)
      : function_(&function),
        call_([](const void* f, int64_t item) { (*static_cast<const Function*>(f))(item); }) {}
  void operator()(int64_t item) const { call_(function_, item); }

 private:
  const void* function_;
  void (*call_)(const void* function, int64_t item);
};

constexpr int kAllThreads = std::numeric_limits<int>::max();

// Runs body(i) once for each i in [0, count), on at most `most` and at most threads() threads,
// including the calling one, and returns when all are done. Callers run concurrently and share the
// other threads; a body may call parallel_for. Which thread runs which item is not determined:
// results must not depend on it. After an exception no new item starts, and the first exception is
// rethrown here.
void parallel_for(int64_t count, ItemBody body, int most = kAllThreads);

// The same for ranges of rows: body(number of the range, first row, end row). The ranges depend
// only on `rows`.
constexpr int64_t kRangeRows = 32;
inline int64_t row_ranges(int64_t rows) { return (rows + kRangeRows - 1) / kRangeRows; }
template <class Body>
void parallel_rows(int64_t rows, const Body& body) {
  parallel_for(row_ranges(rows), [&](int64_t range) {
    body(range, range * kRangeRows, std::min(rows, (range + 1) * kRangeRows));
  });
}

}  // namespace contrastive::runtime
