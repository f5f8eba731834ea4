#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "core/dist/connections.h"
#include "tests/core/dist/ranks.h"
#include "tests/core/dist/signal_masks.h"
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
      const at::Tensor own = at::arange(3, at::kFloat) + 10 * rank, all = at::zeros({9}), pieces = at::zeros({3});
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

// Holds the thread that reads Gloo's sockets: SIGTRAP is a fault, which no thread of the library blocks.
class HeldReader {
 public:
  explicit HeldReader(const std::map<std::string, unsigned long long>& threads_before) {
    held = false;
    struct sigaction hold = {};
    hold.sa_handler = [](int) {
      for (held = true; held;) ::usleep(1000);
    };
    ::sigaction(SIGTRAP, &hold, &before_);
    for (const auto& [thread, mask] : signal_masks()) {
      std::string name;
      std::getline(std::ifstream("/proc/self/task/" + thread + "/comm"), name);
      if (threads_before.count(thread) == 0 && name != "pt_gloo_runloop") ::syscall(SYS_tgkill, ::getpid(), std::stoi(thread), SIGTRAP);
    }
    while (!held) ::usleep(1000);
  }
  ~HeldReader() {
    held = false;
    ::usleep(10000);
    ::sigaction(SIGTRAP, &before_, nullptr);
  }

 private:
  static inline std::atomic<bool> held;
  struct sigaction before_ = {};
};

// A program in C is ended by SIGPIPE unless it says otherwise, and so is this one.
TEST(Gloo, APeerThatIsKilledIsAnErrorAndNoSignal) {
  ASSERT_EQ(::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  const TemporaryFolder folder;
  const auto join = [&](int rank) {
    return connect_gloo(*Store::at(parse_store("file://" + folder.path() + "/store"), rank, 2, Milliseconds(20000)), link_of(rank, 2));
  };
  const pid_t peer = ::fork();
  if (peer == 0) {
    const auto connections = join(1);
    for (;;) ::pause();
  }
  const auto threads_before = signal_masks();
  const auto connections = join(0);
  std::vector<std::unique_ptr<Exchange>> begun;
  {
    const HeldReader reader(threads_before);
    ::kill(peer, SIGKILL);
    ::waitpid(peer, nullptr, 0);
    for (int i = 0; i < 2; ++i) {  // the peer's system answers the first one: there is nobody; the second one meets that answer
      begun.push_back(connections->all_gather(at::zeros({2}), at::zeros({1})));
      ::usleep(100000);
    }
  }
  for (const auto& exchange : begun) EXPECT_ANY_THROW(finish(*exchange));
}

TEST(Gloo, ItsThreadsTakeNoSignalOfTheHost) {
  const auto before = signal_masks();
  const auto store = Store::in_process();
  const auto connections = connect_gloo(*store, link_of(0, 1));
  expect_new_threads_block_signals(before);
}

}  // namespace
}  // namespace contrastive::dist
