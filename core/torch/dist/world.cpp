#include "core/torch/dist/world.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/system/thread.h"
#include "core/torch/dist/local_address.h"
#include "core/torch/tensors/exception_text.h"

namespace contrastive::dist {
namespace {

using Clock = std::chrono::steady_clock;
using tensors::first_line;

constexpr Milliseconds kSlice{
    200};  // between two looks at the store while an exchange is under way
constexpr const char* kTrouble = "trouble";
constexpr const char* kGone = "gone";
constexpr const char* kKnows = "knows";  // the store's name for why the run is over

std::string of_rank(const char* what, int rank) { return cat(what, "/", rank); }
double seconds(Milliseconds time) { return static_cast<double>(time.count()) / 1000; }

// "rank 1", "ranks 1, 2 and 3"
std::string names_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += cat(i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ", ranks[i]);
  return text;
}

// Waits that grow: a rank that is nearly there is noticed at once, and a late one costs little.
class Pause {
 public:
  void operator()() {
    std::this_thread::sleep_for(time_);
    time_ = std::min<Milliseconds>(time_ * 2, Milliseconds(100));
  }

 private:
  Milliseconds time_{1};
};

}  // namespace

World::World(std::shared_ptr<Store> store, Link link, bool serves)
    : store_(std::move(store)), link_(std::move(link)), serves_(serves),
      beat_every_(
          std::clamp<Milliseconds>(link_.timeout / 10, Milliseconds(100), Milliseconds(5000))) {
  TORCH_CHECK(link_.rank >= 0 && link_.rank < link_.size, "rank ", link_.rank, " of ", link_.size);
  check_in();
  leave_loopback();
  const auto heart = store_->clone();
  const bool beats = heart_.start([this, heart] {
    try {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!ended_) {
        lock.unlock();
        heart->add(of_rank("beat", link_.rank), 1);
        lock.lock();
        ending_.wait_for(lock, beat_every_, [this] { return ended_; });
      }
    } catch (const std::exception&) {
      // The store is gone: the next call that needs it reports that.
    }
  });
  check(beats, Status::kDistributed, "the system refuses rank ", link_.rank,
        " a thread for its heartbeats");
  try {
    connections_ = connect_gloo(*store_, link_);
  } catch (const std::bad_alloc&) {
    end_beat();
    throw;
  } catch (const Error& error) {  // an error of this rank only
    leave(error.message());
    end_beat();
    throw;
  } catch (const std::exception& error) {
    const std::string cause = first_line(error);
    try {
      lose("to connect the ranks", cause);
    } catch (...) {
      end_beat();
      throw;
    }
  }
}

// Stops the heartbeats.
void World::end_beat() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  ending_.notify_all();
  heart_.join();
}

World::~World() {
  try {
    if (connections_ != nullptr) {
      store_->set(of_rank("bye", link_.rank), "");
      store_->set(kGone, "");
      // The process that serves the store leaves last.
      const auto until = Clock::now() + std::min<Milliseconds>(link_.timeout, Milliseconds(10000));
      Pause pause;
      for (int rank = 0; serves_ && rank < link_.size; ++rank) {
        while (!store_->has(of_rank("bye", rank)) && !store_->has(kTrouble) && Clock::now() < until)
          pause();
      }
    } else if (serves_ && !broken_.empty()) {
      // The other ranks look there for the rank that failed, as long as this rank did.
      const auto until = Clock::now() + 4 * beat_every_;
      Pause pause;
      for (int rank = 0; rank < link_.size; ++rank) {
        if (rank == link_.rank || std::count(silent_.begin(), silent_.end(), rank) > 0) continue;
        while (!store_->has(of_rank(kKnows, rank)) && !store_->has(of_rank("failed", rank)) &&
               !store_->has(of_rank("bye", rank)) && Clock::now() < until)
          pause();
      }
    }
  } catch (const std::exception&) {
    // The other ranks have left already.
  }
  end_beat();
}

// Every rank publishes how many ranks it expects and its version; every rank compares all of them.
void World::check_in() {
  const int64_t times = store_->add(of_rank("taken", link_.rank), 1);
  if (times > 1) {
    const std::string why = cat("rank ", link_.rank,
                                " is there twice: two processes have the same rank, or the store "
                                "still contains an earlier run; each run needs its own store");
    if (!store_->has(kRefused)) store_->set(kRefused, why);
    fail(Status::kDistributed, why);
  }
  const std::string own =
      cat(link_.size, " ranks, version ", CONTRASTIVE_VERSION, " with LibTorch ", TORCH_VERSION);
  store_->set(of_rank("meeting", link_.rank), link_.meeting);
  store_->set(of_rank("here", link_.rank), own);
  const auto until = Clock::now() + link_.timeout;
  Pause pause;
  for (;;) {
    if (store_->has(kRefused)) fail(Status::kDistributed, store_->get(kRefused));
    std::vector<int> missing;
    for (int rank = 0; rank < link_.size; ++rank) {
      if (!store_->has(of_rank("here", rank))) {
        missing.push_back(rank);
        continue;
      }
      const std::string other = store_->get(of_rank("here", rank));
      if (other == own) continue;
      const std::string why = cat("the ranks do not belong together: rank ", link_.rank,
                                  " expects ", own, ", and rank ", rank, " expects ", other);
      store_->set(kRefused, why);
      fail(Status::kDistributed, why);
    }
    if (missing.empty()) return;
    if (Clock::now() > until) {
      const std::string why = cat(names_of(missing), " of ", link_.size, " did not come within ",
                                  seconds(link_.timeout), " s (dist.timeout)");
      store_->set(kRefused, why);
      fail(Status::kDistributed, why);
    }
    pause();
  }
}

// A machine often resolves its own name to 127.0.1.1 (/etc/hosts of Debian), where no other machine
// finds it. Then the others report which of its addresses they know.
void World::leave_loopback() {
  if (!link_.interface.empty() || !is_loopback(link_.address)) return;
  for (int rank = 0; rank < link_.size; ++rank) {
    const std::string known = store_->get(of_rank("meeting", rank));
    if (known.empty() || is_loopback(known) || local_address(known) != known) continue;
    link_.address = known;
    return;
  }
}

std::string World::beat_of(int rank) {
  const std::string name = of_rank("beat", rank);
  return store_->has(name) ? store_->get(name) : "";
}

void World::look_for_trouble(const std::string& doing) {
  bool trouble = false;
  try {
    trouble = store_->has(kTrouble);
  } catch (const Error& error) {
    lose(doing, error.message());
  }
  if (trouble) lose(doing, "another rank met an error");
}

void World::wait(Exchange& exchange, const std::string& doing) {
  auto until = Clock::now() + link_.timeout;
  bool one_has_gone = false;
  for (;;) {
    try {
      if (exchange.wait(kSlice)) return;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      lose(doing, first_line(error));
    }
    look_for_trouble(doing);
    if (!one_has_gone && store_->has(kGone)) {
      one_has_gone = true;  // what it sent before may still arrive
      until = std::min(until, Clock::now() + 3 * beat_every_);
    }
    if (Clock::now() > until)
      lose(doing, cat("nothing came within ", seconds(link_.timeout), " s (dist.timeout)"));
  }
}

// Waits until `name`, which `owner` sets, exists.
void World::await(const std::string& name, int owner, const std::string& doing) {
  check(connections_ != nullptr, Status::kDistributed, broken_);
  try {
    std::string last = beat_of(owner);
    auto heard = Clock::now();
    Pause pause;
    while (!store_->has(name)) {
      if (store_->has(kTrouble)) lose(doing, "another rank met an error");
      const std::string now = beat_of(owner);
      if (now != last) heard = Clock::now();
      last = now;
      if (Clock::now() - heard > link_.timeout)
        lose(doing, cat("rank ", owner, " sent no heartbeat for ", seconds(link_.timeout),
                        " s (dist.timeout)"));
      if (store_->has(of_rank("bye", owner)) && !store_->has(name))
        lose(doing, cat("rank ", owner, " has ended its run"));
      pause();
    }
  } catch (const Error& error) {
    if (connections_ == nullptr) throw;
    lose(doing, error.message());
  }
}

// Exchanges in progress end when Gloo gives them up; nothing waits for that.
void World::drop_connections() noexcept {
  if (connections_ == nullptr) return;
  const auto drop = [](void* connections) { delete static_cast<Connections*>(connections); };
  system::Thread thread;
  // Where the system grants no thread, they stay.
  system::start_own_thread(drop, connections_.release(), system::ThreadEnd::kDetached, thread);
}

// Reports that something is wrong, so that no rank waits any longer, and finds out which rank
// failed.
void World::lose(const std::string& doing, const std::string& cause) {
  drop_connections();
  broken_ = cat("rank ", link_.rank, " cannot go on ", doing, ": ", find_culprit(doing, cause));
  try {
    store_->set(of_rank(kKnows, link_.rank), "");
  } catch (const Error&) {
    // That rank is gone.
  }
  fail(Status::kDistributed, broken_);
}

std::string World::find_culprit(const std::string& doing, const std::string& cause) {
  std::vector<int> others;
  for (int rank = 0; rank < link_.size; ++rank) {
    if (rank != link_.rank) others.push_back(rank);
  }
  try {
    store_->set(of_rank("lost", link_.rank), doing);
    store_->set(kTrouble, "");
    std::vector<std::string> before;
    for (const int rank : others) before.push_back(beat_of(rank));
    std::vector<bool> alive(others.size(), false);
    const auto until = Clock::now() + 3 * beat_every_;
    Pause pause;
    for (;;) {
      bool all_here = true;
      for (size_t i = 0; i < others.size(); ++i) {
        if (store_->has(of_rank("failed", others[i])))
          return cat("rank ", others[i], " failed: ", store_->get(of_rank("failed", others[i])));
        if (store_->has(of_rank("bye", others[i])))
          return cat("rank ", others[i], " has ended its run");
        alive[i] = alive[i] || beat_of(others[i]) != before[i];
        all_here = all_here && store_->has(of_rank("lost", others[i]));
      }
      if (all_here || Clock::now() > until) break;
      pause();
    }
    std::vector<int> silent, absent;
    for (size_t i = 0; i < others.size(); ++i) {
      if (store_->has(of_rank("lost", others[i]))) continue;
      (alive[i] ? absent : silent).push_back(others[i]);
    }
    silent_ = silent;
    if (!silent.empty())
      return cat(names_of(silent), silent.size() == 1 ? " sends" : " send", " no heartbeat (",
                 cause, ")");
    if (!absent.empty())
      return cat(names_of(absent), absent.size() == 1 ? " is" : " are", " alive but did not come (",
                 cause, ")");
    return cat("the connection between ranks broke (", cause, ")");
  } catch (const std::exception& error) {
    return error.what() == cause ? cause : cat(error.what(), "; before, ", cause);
  }
}

void World::leave(const std::string& why) noexcept {
  try {
    if (!broken_.empty()) return;  // whatever broke it has reported it
    broken_ = why;
    drop_connections();
    store_->set(of_rank("failed", link_.rank), why);
    store_->set(kTrouble, "");
  } catch (const std::exception&) {
    // The others notice that its heartbeats stop.
  }
}

std::unique_ptr<Exchange> World::begin_all_gather(const at::Tensor& to, const at::Tensor& from,
                                                  const std::string& doing) {
  check(connections_ != nullptr, Status::kDistributed, broken_);
  try {
    return connections_->all_gather(to, from);
  } catch (const std::exception& error) {
    lose(doing, first_line(error));
  }
}

std::unique_ptr<Exchange> World::begin_all_to_all(const at::Tensor& to, const at::Tensor& from,
                                                  const std::string& doing) {
  check(connections_ != nullptr, Status::kDistributed, broken_);
  try {
    return connections_->all_to_all(to, from);
  } catch (const std::exception& error) {
    lose(doing, first_line(error));
  }
}

at::Tensor World::gather(const at::Tensor& from, const std::string& doing) {
  at::Tensor to = at::empty({from.numel() * link_.size}, from.options());
  if (from.numel() == 0) return to;
  wait(*begin_all_gather(to, from, doing), doing);
  return to;
}

std::vector<std::string> World::gather(const std::string& bytes, const std::string& doing) {
  at::Tensor length = at::empty({1}, at::kLong);
  *length.mutable_data_ptr<int64_t>() = static_cast<int64_t>(bytes.size());
  const at::Tensor lengths = gather(length, doing);
  const auto* sizes = lengths.const_data_ptr<int64_t>();
  const int64_t most = *std::max_element(sizes, sizes + link_.size);
  at::Tensor own = at::empty({most}, at::kByte);
  if (!bytes.empty()) std::memcpy(own.mutable_data_ptr(), bytes.data(), bytes.size());
  const at::Tensor all = gather(own, doing);
  std::vector<std::string> texts;
  for (int rank = 0; rank < link_.size; ++rank) {
    texts.emplace_back(static_cast<const char*>(all.const_data_ptr()) + rank * most,
                       static_cast<size_t>(sizes[rank]));
  }
  return texts;
}

std::string World::from_first(const std::function<std::string()>& body, const std::string& doing) {
  check(connections_ != nullptr, Status::kDistributed, broken_);
  const std::string name = cat("said/", said_++);
  if (!first()) {
    await(name, 0, doing);
    return store_->get(name);
  }
  std::string text = body();
  look_for_trouble(doing);
  store_->set(name, text);
  return text;
}

void World::meet(const std::string& doing) {
  const std::string name = cat("met/", met_++);
  check(connections_ != nullptr, Status::kDistributed, broken_);
  store_->set(of_rank(name.c_str(), link_.rank), "");
  for (int rank = 0; rank < link_.size; ++rank) await(of_rank(name.c_str(), rank), rank, doing);
}

}  // namespace contrastive::dist
