// Copies of one encoder on several devices. The batches of a call go to whichever device is free.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/encoder/encoder.h"

namespace contrastive::model {

// The devices named by `devices`, in that order, or `device` alone if the list is empty. A device
// may be listed twice. Throws kArgument for an unknown name, for devices of two kinds, and if
// `device` was set and is not the first of `devices`.
std::vector<runtime::Device> parse_devices(const std::string& device,
                                           const std::vector<std::string>& devices);

class Replicas {
 public:
  // `encoders`: at least one, all with the same weights. `most_threads`: of the calls that use
  // them; 0 for all.
  explicit Replicas(std::vector<std::shared_ptr<encoder::Encoder>> encoders, int most_threads = 0)
      : encoders_(std::move(encoders)), most_threads_(most_threads) {}

  const std::vector<std::shared_ptr<encoder::Encoder>>& all() const { return encoders_; }
  encoder::Encoder& first() const { return *encoders_.front(); }
  int most_threads() const { return most_threads_; }
  Replicas clone() const;

  // Runs body(encoder, i, most_threads) once for each i in [0, batches) on all devices
  // concurrently, and returns when all are done. Which device runs which batch is not determined.
  // After an exception no new batch starts, and the first exception is rethrown here. If the system
  // refuses a thread for a device, the other devices do its work.
  using Body =
      std::function<void(const encoder::Encoder& encoder, int64_t batch, int most_threads)>;
  void for_each_batch(int64_t batches, const Body& body) const;

 private:
  std::vector<std::shared_ptr<encoder::Encoder>> encoders_;
  int most_threads_;
};

}  // namespace contrastive::model
