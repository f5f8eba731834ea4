// A table of names and values that all ranks see: how they find each other, and what they tell each
// other when the connections between them have gone. LibTorch's TCPStore, FileStore and HashStore.
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
  bool served_elsewhere = false;  // tcp: rank 0 does not listen itself
  std::string prefix;             // before all names, where the store outlives a run

  std::string text() const;  // "tcp://host:port"
};

// "tcp://host:port", with "[...]" around an IPv6 address, or "file:///path". kArgument for anything
// else, naming config key 'dist.store'.
StoreAddress parse_store(const std::string& text);

// Any thread; one call at a time through each object, so that who must not wait for another has a
// clone. All calls: kDistributed where the store has gone, or gives no answer within the time
// limit: then no further call waits for it.
class Store {
 public:
  // For ranks that are threads of this process: all of them use this object or its clones.
  static std::shared_ptr<Store> in_process();
  // Rank 0 of a tcp store listens; the others connect, and wait for it up to `timeout`.
  // kDistributed says where and why not.
  static std::shared_ptr<Store> at(const StoreAddress& address, int rank, int size,
                                   Milliseconds timeout);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Seen a little later through another object: a tcp store does not acknowledge it.
  void set(const std::string& name, const std::string& value);
  std::string get(const std::string& name);  // of a name that is there
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
  std::shared_ptr<Errands> errands_;  // null where no call can hang
};

}  // namespace contrastive::dist
