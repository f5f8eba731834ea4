#include "core/model/packed_run.h"

#include <algorithm>
#include <vector>

#include "core/base/progress_report.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/threads.h"

namespace contrastive::model {
namespace {

// The number of tokens of one packed batch. On the CPU one thread computes a batch: large enough
// that the weights are read seldom, small enough that its states stay in the second-level cache. A
// GPU needs large batches.
constexpr int64_t kCpuBatchTokens = 512;
constexpr int64_t kCudaBatchTokens = 32768;
// If several GPUs share a call, each gets a batch, unless the batches would be smaller than this.
constexpr int64_t kLeastCudaShare = 4096;
// Below this many tokens, a thread's share is too small for a separate batch: all threads work on
// one batch together.
constexpr int64_t kLeastShare = 96;

int64_t choose_budget(int64_t batch_tokens, const TokenisedTexts& texts, const Replicas& replicas) {
  if (batch_tokens > 0) return batch_tokens;
  if (!replicas.first().device().is_cpu()) {
    const auto devices = static_cast<int64_t>(replicas.all().size());
    return devices == 1
               ? kCudaBatchTokens
               : std::min(kCudaBatchTokens,
                          std::max((texts.tokens() + devices - 1) / devices, kLeastCudaShare));
  }
  // Few tokens: give each thread an equal share, if that is large enough for a batch.
  const int64_t share = (texts.tokens() + runtime::threads() - 1) / runtime::threads();
  return std::min(kCpuBatchTokens, std::max(share, kLeastShare));
}

}  // namespace

encoder::PackedTokens packed_view(const text::TokenBatch& batch) {
  return {batch.ids.data(), batch.type_ids.empty() ? nullptr : batch.type_ids.data(),
          batch.offsets.data(), batch.texts()};
}

void run_packed(const TokenisedTexts& texts, const Replicas& replicas, int64_t batch_tokens,
                const Cancel* cancel, const char* what, const PackedBody& body) {
  const encoder::Encoder& encoder = replicas.first();
  const std::vector<int64_t> cuts =
      cut_batches(texts, choose_budget(batch_tokens, texts, replicas));
  const auto batches = static_cast<int64_t>(cuts.size()) - 1;
  ProgressReport progress(cancel, cuts.back(), what);
  const auto run = [&](const encoder::Encoder& on, int64_t i, int most_threads) {
    throw_if_cancelled(cancel);
    const int64_t begin = cuts[static_cast<size_t>(i)], end = cuts[static_cast<size_t>(i) + 1];
    body(on, texts.pack(begin, end), texts.order().data() + begin, most_threads);
    progress.add(end - begin);
  };
  // Run several batches concurrently, each on one thread, so that no thread waits for another. All
  // threads share a single batch.
  if (batches > 1 && replicas.all().size() > 1) replicas.for_each_batch(batches, run);
  else if (batches > 1 && encoder.computes_on_caller())
    runtime::parallel_for(batches, [&](int64_t i) { run(encoder, i, 1); });
  else
    for (int64_t i = 0; i < batches; ++i) run(encoder, i, runtime::threads());
  progress.at(cuts.back());  // the last batches may have run on other threads
}

}  // namespace contrastive::model
