#include "core/model/replicas.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "core/base/error.h"
#include "core/host/fp_environment.h"
#include "core/host/helper_threads.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/threads.h"

namespace contrastive::model {

namespace {

// The state that the devices of one call share: the next batch, and the first error.
struct Share {
  std::atomic<int64_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  std::exception_ptr error;

  void fail_with(std::exception_ptr problem) noexcept {
    stopped = true;
    const std::lock_guard<std::mutex> lock(mutex);
    if (error == nullptr) error = std::move(problem);
  }
};

// Takes batches until none is left.
void drain(const encoder::Encoder& encoder, int64_t batches, int most_threads,
           const Replicas::Body& body, Share& share) noexcept {
  try {
    while (!share.stopped) {
      const int64_t batch = share.next.fetch_add(1);
      if (batch >= batches) return;
      body(encoder, batch, most_threads);
    }
  } catch (...) {
    share.fail_with(std::current_exception());
  }
}

// Runs one device's part of a call. An encoder that computes on its caller gets as many threads of
// the pool as it has.
void serve(const encoder::Encoder& encoder, int64_t batches, int threads,
           const Replicas::Body& body, Share& share) noexcept {
  const host::FpEnvironment environment;
  if (!encoder.computes_on_caller()) {
    drain(encoder, batches, threads, body, share);
    return;
  }
  runtime::parallel_for(threads, [&](int64_t) { drain(encoder, batches, 1, body, share); });
}

}  // namespace

std::vector<runtime::Device> parse_devices(const std::string& device,
                                           const std::vector<std::string>& devices) {
  const runtime::Device alone = runtime::parse_device(device);
  if (devices.empty()) return {alone};
  std::vector<runtime::Device> parsed;
  parsed.reserve(devices.size());
  for (const std::string& name : devices) parsed.push_back(runtime::parse_device(name));
  check(alone.is_cpu() || alone == parsed[0], Status::kArgument, "device is ", device,
        ", but devices begins with ", devices[0], ": leave device out where devices is given");
  for (const runtime::Device& other : parsed) {
    check(other.cuda == parsed[0].cuda, Status::kArgument, "devices has ", parsed[0].str(), " and ",
          other.str(),
          ": processors and GPUs do not share a call, for the slower ones would only delay it");
  }
  return parsed;
}

Replicas Replicas::clone() const {
  std::vector<std::shared_ptr<encoder::Encoder>> copies;
  copies.reserve(encoders_.size());
  for (const auto& encoder : encoders_) copies.push_back(encoder->clone());
  return Replicas(std::move(copies), most_threads_);
}

void Replicas::for_each_batch(int64_t batches, const Body& body) const {
  const auto busy = std::min(batches, static_cast<int64_t>(encoders_.size()));
  const int threads =
      std::max(1, runtime::threads() / static_cast<int>(std::max<int64_t>(busy, 1)));
  Share share;
  {
    host::HelperThreads others;
    for (int64_t i = 1; i < busy; ++i) {
      const encoder::Encoder* const encoder = encoders_[static_cast<size_t>(i)].get();
      if (!others.start([encoder, batches, threads, &body, &share] {
            serve(*encoder, batches, threads, body, share);
          }))
        break;
    }
    serve(first(), batches, threads, body, share);
  }
  if (share.error != nullptr) std::rethrow_exception(share.error);
}

}  // namespace contrastive::model
