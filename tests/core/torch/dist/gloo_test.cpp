#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>

#include "core/torch/dist/connections.h"
#include "tests/core/torch/dist/ranks.h"
#include "tests/core/torch/dist/signal_masks.h"
#include "tests/temporary_folder.h"

namespace contrastive::dist {
namespace {

void finish(Exchange& exchange) {
  while (!exchange.wait(Milliseconds(100))) {
  }
}

TEST(Gloo, GathersAndExchangesInTheOrderOfTheRanks) {
  const auto store = Store::in_process();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      const auto connections = connect_gloo(*store, link_of(rank, 3));
      const at::Tensor own = at::arange(3, at::kFloat) + 10 * rank, all = at::zeros({9}),
                       pieces = at::zeros({3});
      finish(*connections->all_gather(all, own));
      finish(*connections->all_to_all(pieces, own));
      for (int64_t other = 0; other < 3; ++other) {
        EXPECT_EQ(all[other * 3 + 1].item<float>(), static_cast<float>(other * 10 + 1));
        EXPECT_EQ(pieces[other].item<float>(), static_cast<float>(other * 10 + rank));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{60};

template <class Condition>
bool happens(const Condition& condition) {
  for (const auto until = Clock::now() + kPatience; !condition();
       std::this_thread::sleep_for(Milliseconds(1))) {
    if (Clock::now() > until) return false;
  }
  return true;
}

// Stops threads of this process during its lifetime. SIGTRAP is a fault, which no thread of the
// library blocks.
class HeldThreads {
 public:
  explicit HeldThreads(const std::vector<std::string>& threads) {
    released_ = false;
    struct sigaction hold = {};
    hold.sa_handler = [](int) {
      for (++arrived_; !released_;) ::usleep(1000);
    };
    ::sigaction(SIGTRAP, &hold, nullptr);  // not restored: a signal may still be pending
    const int before = arrived_;
    int sent = 0;
    for (const std::string& thread : threads)
      sent += ::syscall(SYS_tgkill, ::getpid(), std::stoi(thread), SIGTRAP) == 0 ? 1 : 0;
    EXPECT_TRUE(happens([&] { return arrived_ == before + sent; }));
  }
  ~HeldThreads() { released_ = true; }

 private:
  static inline std::atomic<int> arrived_{0};
  static inline std::atomic<bool> released_{false};
};

// Gloo's threads that are new since `before`: sending threads name themselves, and one thread
// reads.
std::vector<std::string> reading_threads(const std::map<std::string, unsigned long long>& before) {
  std::vector<std::string> reading;
  int sending = 0;
  const auto all_there = [&] {
    reading.clear();
    sending = 0;
    for (const auto& [thread, mask] : signal_masks()) {
      if (before.count(thread) > 0) continue;
      std::ifstream file("/proc/self/task/" + thread + "/comm");
      std::string name;
      std::getline(file, name);
      if (name == "pt_gloo_runloop") ++sending;
      else reading.push_back(thread);
    }
    return sending == 2 && reading.size() == 1;
  };
  EXPECT_TRUE(happens(all_there)) << sending << " threads send and " << reading.size() << " read";
  return reading;
}

// Kills a child and waits for it at the end of the test, even if it fails.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  ~Child() { kill(); }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    process_ = 0;
  }

 private:
  pid_t process_;
};

// SIGPIPE ends a C program by default, so this test sets its default action.
TEST(Gloo, APeerThatIsKilledIsAnErrorAndNoSignal) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP()
      << "ThreadSanitizer ends a child whose threads have the same numbers as its parent's "
         "(dup thread with used id)";
#endif
  const TemporaryFolder folder;
  const StoreAddress address = parse_store("file://" + folder.path() + "/store");
  const auto store_of = [&](int rank) { return Store::at(address, rank, 2, Milliseconds(20000)); };
  const pid_t process = ::fork();
  if (process == 0) {
    ::alarm(120);
    try {
      const auto store = store_of(1);
      const auto connections = connect_gloo(*store, link_of(1, 2));
      for (;;) ::pause();
    } catch (...) {
      ::_exit(1);
    }
  }
  ASSERT_GT(process, 0);
  Child peer(process);
  struct sigaction end = {}, before = {};
  end.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &end, &before);
  {
    const auto store = store_of(0);
    const auto threads_before = signal_masks();
    const auto connections = connect_gloo(*store, link_of(0, 2));
    std::vector<std::unique_ptr<Exchange>> begun;
    {
      const HeldThreads reader(reading_threads(threads_before));
      peer.kill();
      for (int i = 0; i < 2; ++i) {  // the first write is answered by a reset, because the peer is
                                     // gone; the second one then raises SIGPIPE
        begun.push_back(connections->all_gather(at::zeros({2}), at::zeros({1})));
        std::this_thread::sleep_for(Milliseconds(100));
      }
    }
    for (const auto& exchange : begun) EXPECT_THROW(finish(*exchange), std::exception);
  }
  ::sigaction(SIGPIPE, &before, nullptr);
}

TEST(Gloo, ItsThreadsTakeNoSignalOfTheHost) {
  const auto before = signal_masks();
  const auto store = Store::in_process();
  const auto connections = connect_gloo(*store, link_of(0, 1));
  expect_new_threads_block_signals(before, 3);
}

}  // namespace
}  // namespace contrastive::dist
