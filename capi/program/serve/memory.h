// The memory budget of all requests (--max-memory-bytes): bodies while they arrive, embeddings, and
// answers until they are sent. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace contrastive::cli::serve {

class Memory {
 public:
  explicit Memory(int64_t limit) : limit_(limit) {}

  int64_t held() const { return held_; }
  // The most memory that a request of this size may use when the server is idle. A large request
  // leaves a quarter of the memory to small ones.
  int64_t most(int64_t bytes) const;
  bool has_room(int64_t bytes) const { return held_ + bytes <= most(bytes); }
  // Replaces a reservation of `before` bytes by one of `after` bytes. If there is no room, returns
  // false and changes nothing.
  bool replace(int64_t before, int64_t after);

 private:
  const int64_t limit_;
  std::atomic<int64_t> held_{0};
};

// The memory that one request has reserved, until it is destroyed.
class Share {
 public:
  explicit Share(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}
  ~Share() { hold(0); }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  // Sets the reservation to `bytes`. If there is no room, returns false and changes nothing.
  bool hold(int64_t bytes);
  // Reserves `more` bytes. Refusal 422 if this server can never hold them, 503 if it cannot now.
  void require(int64_t more);

 private:
  const std::shared_ptr<Memory> memory_;
  int64_t bytes_ = 0;
};

}  // namespace contrastive::cli::serve
