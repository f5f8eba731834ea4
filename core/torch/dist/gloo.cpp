#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/host/helper_threads.h"
#include "core/torch/dist/connections.h"
#include "core/torch/dist/store_raw.h"

namespace contrastive::dist {
namespace {

class GlooExchange final : public Exchange {
 public:
  explicit GlooExchange(c10::intrusive_ptr<c10d::Work> work) : work_(std::move(work)) {}

  bool wait(Milliseconds slice) override {
    try {
      return work_->wait(slice);
    } catch (const c10::Error&) {
      if (work_->isCompleted())
        return work_
            ->wait();  // what became of it, which may have ended while the exception was made
      return false;    // it only takes longer than the slice
    }
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
};

// LibTorch notes every exchange in one record of the process, which only one thread may enter at a
// time. Beginning an exchange takes no time.
std::mutex& recording() {
  static std::mutex mutex;
  return mutex;
}

class GlooConnections final : public Connections {
 public:
  explicit GlooConnections(c10::intrusive_ptr<c10d::ProcessGroupGloo> group)
      : group_(std::move(group)) {}

  std::unique_ptr<Exchange> all_gather(at::Tensor to, at::Tensor from) override {
    const std::lock_guard<std::mutex> lock(recording());
    return std::make_unique<GlooExchange>(group_->_allgather_base(to, from));
  }

  std::unique_ptr<Exchange> all_to_all(at::Tensor to, at::Tensor from) override {
    std::vector<int64_t> equal;
    const std::lock_guard<std::mutex> lock(recording());
    return std::make_unique<GlooExchange>(group_->alltoall_base(to, from, equal, equal));
  }

 private:
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

c10::intrusive_ptr<c10d::ProcessGroupGloo> open_group(const Store& store, const Link& link) {
  using Group = c10d::ProcessGroupGloo;
  // Gloo waits for a connection five times as long as it is told. What the ranks write into the
  // store to connect is there at once, or never.
  const auto options =
      Group::Options::create(std::max<Milliseconds>(link.timeout / 5, Milliseconds(2000)));
  options->devices.push_back(!link.interface.empty()
                                 ? Group::createDeviceForInterface(link.interface)
                             : !link.address.empty() ? Group::createDeviceForHostname(link.address)
                                                     : Group::createDefaultDevice());
  const auto names = c10::make_intrusive<c10d::PrefixStore>("gloo", store.raw().store);
  return c10::make_intrusive<Group>(names, link.rank, link.size, options);
}

}  // namespace

std::unique_ptr<Connections> connect_gloo(const Store& store, const Link& link) {
  // Gloo writes to sockets as to files: if the peer has gone, SIGPIPE ends a process that does not
  // ignore it. Gloo's threads inherit a mask that blocks it.
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
  check(host::run_on_own_thread([&] { group = open_group(store, link); }), Status::kDistributed,
        "the system refuses a thread for the connections");
  // From here on World::wait() checks the time and says who is missing, because Gloo would report
  // it later.
  group->setTimeout(2 * link.timeout + std::chrono::minutes(1));
  return std::make_unique<GlooConnections>(std::move(group));
}

}  // namespace contrastive::dist
