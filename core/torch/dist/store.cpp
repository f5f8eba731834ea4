#include "core/torch/dist/store.h"

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/host/helper_threads.h"
#include "core/system/thread.h"
#include "core/torch/dist/store_raw.h"
#include "core/torch/tensors/exception_text.h"

namespace contrastive::dist {
namespace {

using tensors::first_line;

c10::intrusive_ptr<c10d::Store> open_tcp(const StoreAddress& address, int rank,
                                         Milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(address.port);
  options.isServer = rank == 0 && !address.served_elsewhere;
  options.waitWorkers = false;
  options.timeout = timeout;
  try {
    // The server's thread writes to clients that may be gone, so its mask blocks SIGPIPE.
    c10::intrusive_ptr<c10d::Store> store;
    check(host::run_on_own_thread(
              [&] { store = c10::make_intrusive<c10d::TCPStore>(address.host, options); }),
          Status::kDistributed, "the system refuses a thread for the store");
    return store;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string why = first_line(error);
    if (why.find("EADDRINUSE") != std::string::npos) {
      fail(Status::kDistributed, "rank 0 cannot listen on port ", address.port,
           ": another program does; name another port in 'dist.store' or MASTER_PORT");
    }
    if (options.isServer)
      fail(Status::kDistributed, "rank 0 cannot keep the store at ", address.text(), ": ", why);
    fail(Status::kDistributed, "rank ", rank, " did not reach rank 0 at ", address.text(),
         " within ", timeout.count() / 1000.0,
         " s: is rank 0 running, and does this address lead to it? (", why, ")");
  }
}

// Without this check LibTorch would try a missing folder for five minutes, and accept any bytes as
// its own file. Its records begin with the length of a short name.
c10::intrusive_ptr<c10d::Store> open_in_file(const std::string& path, int size) {
  const std::string folder = parent_folder(path);
  check(is_directory(folder), Status::kDistributed, "the store ", path,
        " cannot be created: there is no folder ", folder);
  if (path_exists(path)) {
    const Descriptor file = open_file(path, FileUse::kRead);
    uint32_t length = 0;
    const bool whole = read_up_to(file.get(), reinterpret_cast<char*>(&length), sizeof length, 0,
                                  path) == sizeof length;  // else it is being written
    check(!whole || length < 4096, Status::kDistributed, "the file ", path,
          " contains something other than a store: name another path in 'dist.store'");
  }
  try {
    return c10::make_intrusive<c10d::FileStore>(path, size);
  } catch (const std::exception& error) {
    fail(Status::kDistributed, "the store ", path, " cannot be opened: ", first_line(error));
  }
}

}  // namespace

std::string StoreAddress::text() const {
  if (!path.empty()) return "file://" + path;
  return cat("tcp://", host.find(':') == std::string::npos ? host : "[" + host + "]", ":", port);
}

StoreAddress parse_store(const std::string& text) {
  const std::string tcp = "tcp://", file = "file://";
  StoreAddress address;
  if (text.rfind(file, 0) == 0) {
    address.path = text.substr(file.size());
    check(!address.path.empty() && address.path[0] == '/', Status::kArgument,
          "config key 'dist.store' is '", text,
          "': three slashes and the whole path are needed, file:///PATH");
    return address;
  }
  const size_t colon = text.rfind(':');
  check(text.rfind(tcp, 0) == 0 && colon >= tcp.size(), Status::kArgument,
        "config key 'dist.store' is '", text, "', neither tcp://HOST:PORT nor file:///PATH");
  address.host = text.substr(tcp.size(), colon - tcp.size());
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const std::string port = text.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string::npos;
  address.port = digits ? std::stoi(port) : 0;
  check(!address.host.empty() && address.port >= 1 && address.port <= 65535, Status::kArgument,
        "config key 'dist.store' is '", text,
        "': a host and a port from 1 to 65535 are needed, tcp://HOST:PORT");
  return address;
}

// Runs calls on a separate thread. TCPStore waits for an answer without a limit, and none comes
// over a broken link. Then the thread and what it holds are abandoned until the system gives up the
// connection.
class Store::Errands {
 public:
  static std::shared_ptr<Errands> start() {
    auto errands = std::make_shared<Errands>();
    auto held = std::make_unique<std::shared_ptr<Errands>>(errands);
    const auto run = [](void* mine) {
      (*std::unique_ptr<std::shared_ptr<Errands>>(static_cast<std::shared_ptr<Errands>*>(mine)))
          ->work();
    };
    system::Thread thread;
    check(system::start_own_thread(run, held.get(), system::ThreadEnd::kDetached, thread),
          Status::kDistributed, "the system refuses a thread for the store");
    held.release();
    return errands;
  }

  // Returns the exception of `errand`; null if it succeeded. Sets `answered` to false if it did not
  // return in time, or an earlier one did not. The errand owns what it uses.
  std::exception_ptr run(std::function<void()> errand, Milliseconds patience, bool& answered) {
    std::unique_lock<std::mutex> lock(mutex_);
    answered = !lost_;
    if (lost_) return nullptr;
    errand_ = std::move(errand);
    done_ = false;
    changed_.notify_all();
    answered = changed_.wait_for(lock, patience, [this] { return done_; });
    lost_ = !answered;
    return std::exchange(error_, nullptr);
  }

  void stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }

 private:
  void work() noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || errand_; });
      if (!errand_) return;
      std::function<void()> errand = std::exchange(errand_, nullptr);
      lock.unlock();
      std::exception_ptr error;
      try {
        errand();
      } catch (...) {
        error = std::current_exception();
      }
      errand = nullptr;
      lock.lock();
      error_ = error;
      done_ = true;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> errand_;
  std::exception_ptr error_;
  bool done_ = false, lost_ = false, stopping_ = false;
};

Store::Store(std::unique_ptr<Raw> raw) : raw_(std::move(raw)) {
  if (raw_->patience.count() > 0) errands_ = Errands::start();
}
Store::~Store() {
  if (errands_) errands_->stop();
}

template <class Body>
auto Store::reach(Body body) {
  using Result = decltype(body(*raw_->store));
  try {
    if (errands_ == nullptr) return body(*raw_->store);
    const auto result = std::make_shared<std::optional<Result>>();
    bool answered = false;
    const auto error =
        errands_->run([result, body, store = raw_->store] { *result = body(*store); },
                      raw_->patience, answered);
    if (!answered) fail(Status::kDistributed, raw_->where, " gives no answer");
    if (error) std::rethrow_exception(error);
    return std::move(**result);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail(Status::kDistributed, raw_->where, " cannot be reached any more (", first_line(error),
         ")");
  }
}

std::shared_ptr<Store> Store::in_process() {
  return std::shared_ptr<Store>(new Store(std::make_unique<Raw>(
      Raw{c10::make_intrusive<c10d::HashStore>(), "the store of this process", Milliseconds(0)})));
}

std::shared_ptr<Store> Store::at(const StoreAddress& address, int rank, int size,
                                 Milliseconds timeout) {
  auto raw = std::make_unique<Raw>();
  if (address.path.empty()) {
    raw->store = open_tcp(address, rank, timeout);
    raw->patience = timeout;
    raw->where = address.served_elsewhere
                     ? "the store at " + address.text()
                     : "rank 0, which keeps the store at " + address.text() + ",";
  } else {
    raw->store = open_in_file(address.path, size);
    // An unfinished record of a rank would keep its readers waiting for ever.
    raw->patience = timeout;
    raw->where = "the store " + address.path;
  }
  raw->store->setTimeout(timeout);
  if (!address.prefix.empty())
    raw->store = c10::make_intrusive<c10d::PrefixStore>(address.prefix, raw->store);
  return std::shared_ptr<Store>(new Store(std::move(raw)));
}

void Store::set(const std::string& name, const std::string& value) {
  reach([name, value](c10d::Store& store) {
    store.set(name, value);
    return true;
  });
}

std::string Store::get(const std::string& name) {
  return reach([name](c10d::Store& store) { return store.get_to_str(name); });
}

int64_t Store::add(const std::string& name, int64_t amount) {
  return reach([name, amount](c10d::Store& store) { return store.add(name, amount); });
}

bool Store::has(const std::string& name) {
  return reach([name](c10d::Store& store) { return store.check({name}); });
}

std::shared_ptr<Store> Store::clone() {
  auto raw = std::make_unique<Raw>();
  raw->where = raw_->where;
  raw->store = reach([](c10d::Store& store) { return store.clone(); });
  raw->patience = raw_->patience;
  return std::shared_ptr<Store>(new Store(std::move(raw)));
}

}  // namespace contrastive::dist
