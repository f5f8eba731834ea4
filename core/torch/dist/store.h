// A table of names and values that all ranks see. Ranks find each other through it, and report
// errors to each other when their connections are broken. It is LibTorch's TCPStore, FileStore or
// HashStore.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace contrastive::dist {

using Milliseconds = std::chrono::milliseconds;

struct StoreAddress {
  std::string host;  // tcp
  int port = 0;
  std::string path;               // file; empty for tcp
  bool served_elsewhere = false;  // tcp: something else listens, not rank 0
  std::string prefix;             // put before all names, if the store outlives a run

  std::string text() const;  // "tcp://host:port"
};

// "tcp://host:port", with "[...]" around an IPv6 address, or "file:///path". kArgument for anything
// else, naming config key 'dist.store'.
StoreAddress parse_store(const std::string& text);

// Any thread may call; calls through one object run one at a time, so a caller that must not wait
// for another uses a clone. All calls: kDistributed if the store is gone or does not answer within
// the time limit; after that no call waits for it again.
class Store {
 public:
  // For ranks that are threads of this process: all of them use this object or its clones.
  static std::shared_ptr<Store> in_process();
  // Rank 0 of a tcp store listens. The others connect, and wait for it up to `timeout`.
  // kDistributed says where and why it failed.
  static std::shared_ptr<Store> at(const StoreAddress& address, int rank, int size,
                                   Milliseconds timeout);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Other objects may see the value a little later: a tcp store does not acknowledge it.
  void set(const std::string& name, const std::string& value);
  std::string get(const std::string& name);  // the name must exist
  int64_t add(const std::string& name, int64_t amount);
  bool has(const std::string& name);
  std::shared_ptr<Store> clone();

  struct Raw;  // LibTorch's, for gloo.cpp
  const Raw& raw() const { return *raw_; }

 private:
  class Errands;
  explicit Store(std::unique_ptr<Raw> raw);
  template <class Body>
  auto reach(Body body);
  std::unique_ptr<Raw> raw_;
  std::shared_ptr<Errands> errands_;  // null if no call can hang
};

}  // namespace contrastive::dist
