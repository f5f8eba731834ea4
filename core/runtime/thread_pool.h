// The library's threads: all of its work on the CPU is done by them and by the thread that calls. A
// piece of work is a number of items, which threads take one after the other from a counter: a
// thread that has lost its processor keeps others waiting for the item it holds and for nothing
// else, and work goes on as well where no second thread comes. Who waits looks for some tens of
// microseconds and then sleeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace contrastive::runtime {

// What is run for each item: refers to the caller's function object, and allocates nothing.
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

// Runs body(i) for i in [0, count), each once, on up to `most` and up to threads() threads, the
// calling one among them, and returns when all are done. Callers work side by side and share what
// other threads there are; a body may call it again. Which thread runs which item is a matter of
// luck: results must not depend on it. After an exception no new item is begun, and the first one
// is thrown again here.
void parallel_for(int64_t count, ItemBody body, int most = kAllThreads);

// The same for ranges of rows: body(number of the range, first row, end). The ranges depend on
// `rows` alone.
constexpr int64_t kRangeRows = 32;
inline int64_t row_ranges(int64_t rows) { return (rows + kRangeRows - 1) / kRangeRows; }
template <class Body>
void parallel_rows(int64_t rows, const Body& body) {
  parallel_for(row_ranges(rows), [&](int64_t range) {
    body(range, range * kRangeRows, std::min(rows, (range + 1) * kRangeRows));
  });
}

}  // namespace contrastive::runtime
