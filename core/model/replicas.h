// One encoder on several devices: the batches of a call go to whichever is free.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/encoder/encoder.h"

namespace contrastive::model {

// The devices that `devices` names, in its order; where it is empty, `device` alone. The same
// device may stand there twice. kArgument for a name that is none, for devices of two kinds, and
// where `device` was chosen and is not the first of `devices`.
std::vector<runtime::Device> parse_devices(const std::string& device,
                                           const std::vector<std::string>& devices);

class Replicas {
 public:
  // `encoders`: at least one, all with the same weights.
  explicit Replicas(std::vector<std::shared_ptr<encoder::Encoder>> encoders)
      : encoders_(std::move(encoders)) {}

  const std::vector<std::shared_ptr<encoder::Encoder>>& all() const { return encoders_; }
  encoder::Encoder& first() const { return *encoders_.front(); }
  Replicas clone() const;

  // Runs body(encoder, i, most_threads) once for each i in [0, batches), each device beside the
  // others, and returns when all are done. Which device runs which batch is a matter of luck. After
  // an exception no new batch is begun, and the first one is thrown again here. Where the system
  // grants no thread for a device, the others do its work.
  using Body =
      std::function<void(const encoder::Encoder& encoder, int64_t batch, int most_threads)>;
  void for_each_batch(int64_t batches, const Body& body) const;

 private:
  std::vector<std::shared_ptr<encoder::Encoder>> encoders_;
};

}  // namespace contrastive::model
