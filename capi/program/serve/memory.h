// The memory that all requests share (--max-memory-bytes): bodies while they arrive, what is
// computed from them, and answers until they are sent. Any thread.
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
  // What is left to one request of this size by a server that has nothing else to do. A long
  // request leaves a quarter of the memory to short ones.
  int64_t most(int64_t bytes) const;
  bool has_room(int64_t bytes) const { return held_ + bytes <= most(bytes); }
  // Replaces `before` held bytes by `after`. False, and nothing changes, if there is no room.
  bool replace(int64_t before, int64_t after);

 private:
  const int64_t limit_;
  std::atomic<int64_t> held_{0};
};

// The part of the memory that one request holds, until it is destroyed.
class Share {
 public:
  explicit Share(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}
  ~Share() { hold(0); }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  // Holds so many bytes from now on. False, and nothing changes, if there is no room.
  bool hold(int64_t bytes);
  // Holds so many bytes more. Refusal: 422 if this server can never hold them, 503 if it cannot
  // now.
  void require(int64_t more);

 private:
  const std::shared_ptr<Memory> memory_;
  int64_t bytes_ = 0;
};

}  // namespace contrastive::cli::serve
