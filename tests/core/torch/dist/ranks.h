// Runs ranks as threads of the test, each with its own world.
#pragma once

#include <gmock/gmock.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/torch/dist/world.h"

namespace contrastive::dist {

inline Link link_of(int rank, int size, Milliseconds timeout = Milliseconds(20000)) {
  return {rank, size, timeout, "", "127.0.0.1"};
}

// Runs `size` ranks as threads. Returns the error of each; "" for none.
inline std::vector<std::string> run_threads(int size, const std::function<void(int rank)>& body) {
  std::vector<std::string> errors(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
      } catch (const Error& error) {
        EXPECT_EQ(error.status(), Status::kDistributed);
        errors[static_cast<size_t>(rank)] = error.message();
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(rank)] = cat("not an Error: ", error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

// The same, each with a world, which ends after the body of its rank.
inline std::vector<std::string> run_ranks(int size, const std::function<void(World& world)>& body,
                                          Milliseconds timeout = Milliseconds(20000)) {
  const auto store = Store::in_process();
  return run_threads(size, [&](int rank) {
    World world(store, link_of(rank, size, timeout));
    body(world);
  });
}

inline void expect_no_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

}  // namespace contrastive::dist
