// One call on several devices: the CPU listed twice, or the simulated CUDA device
// (tests/host_cuda).
#include "core/model/replicas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/sentence_encoder.h"
#include "core/runtime/threads.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

const std::string kFolder = fixtures() + "/models/bert_st";

std::shared_ptr<SentenceEncoder> load_on(const std::vector<std::string>& devices) {
  LoadOptions options;
  options.devices = devices;
  return SentenceEncoder::load(kFolder, options);
}

std::vector<std::string> many_texts() {
  std::vector<std::string> texts;
  for (int i = 0; i < 700; ++i) {
    std::string text = std::to_string(i);
    for (int word = 0; word < i % 19; ++word) text += word % 2 == 0 ? " the cat" : " sat on a mat.";
    texts.push_back(text);
  }
  return texts;
}

std::vector<float> embed_all(const SentenceEncoder& encoder, const std::vector<std::string>& texts,
                             std::vector<int32_t>* counts = nullptr) {
  std::vector<float> out(texts.size() * static_cast<size_t>(encoder.dimension()), -1);
  if (counts != nullptr) counts->assign(texts.size(), -1);
  encoder.encode({texts.begin(), texts.end()}, {}, out.data(),
                 counts != nullptr ? counts->data() : nullptr);
  return out;
}

TEST(Replicas, GiveTheBitsOfOneDeviceInTheCallersOrder) {
  const std::vector<std::string> texts = many_texts();
  std::vector<int32_t> expected_counts, counts;
  const std::vector<float> expected =
      embed_all(*SentenceEncoder::load(kFolder), texts, &expected_counts);
  const int before = runtime::threads();
  for (const int threads : {1, 3}) {
    runtime::set_threads(threads);
    for (const size_t devices : {1, 2, 5}) {
      const auto encoder = load_on(std::vector<std::string>(devices, "cpu"));
      EXPECT_EQ(embed_all(*encoder, texts, &counts), expected)
          << devices << " devices, " << threads << " threads";
      EXPECT_EQ(counts, expected_counts);
      EXPECT_EQ(embed_all(*encoder, {texts[6]}),
                embed_all(*SentenceEncoder::load(kFolder), {texts[6]}))
          << "a single text";
      EXPECT_EQ(embed_all(*encoder->snapshot(), texts), expected) << "a copy";
    }
  }
  runtime::set_threads(before);
}

TEST(Replicas, AreTheSameModelAndSaySo) {
  const auto one = SentenceEncoder::load(kFolder), two = load_on({"cpu", "cpu"});
  EXPECT_EQ(one->fingerprint(), two->fingerprint());
  EXPECT_EQ(one->info()["devices"], Json({"cpu"}));
  EXPECT_EQ(two->info()["devices"], Json({"cpu", "cpu"}));
  EXPECT_EQ(two->info()["device"], "cpu");
}

TEST(Replicas, EachTakesBatchesAndEachBatchIsTakenOnce) {
  const Replicas replicas =
      Replicas({load_on({"cpu"})->encoder().clone(), load_on({"cpu"})->encoder().clone()});
  const int before = runtime::threads();
  runtime::set_threads(
      1);  // one for each device, so a batch can only wait for one of the other device
  std::mutex mutex;
  std::condition_variable second;
  std::multiset<int64_t> taken;
  std::set<const encoder::Encoder*> devices;
  replicas.for_each_batch(40, [&](const encoder::Encoder& encoder, int64_t batch,
                                  int most_threads) {
    EXPECT_EQ(most_threads, 1);
    std::unique_lock<std::mutex> lock(mutex);
    taken.insert(batch);
    devices.insert(&encoder);
    second.notify_all();
    second.wait_for(lock, std::chrono::seconds(30), [&] { return taken.size() >= 2; });
  });
  runtime::set_threads(before);
  EXPECT_EQ(taken.size(), 40U);
  EXPECT_EQ(std::set<int64_t>(taken.begin(), taken.end()).size(), 40U);
  EXPECT_EQ(devices.size(), 2U);
}

TEST(Replicas, TheFirstErrorWinsAndEndsTheCall) {
  const Replicas replicas =
      Replicas({load_on({"cpu"})->encoder().clone(), load_on({"cpu"})->encoder().clone()});
  std::atomic<int> begun{0};
  expect_error(Status::kNumeric, "batch 3", [&] {
    replicas.for_each_batch(100000, [&](const encoder::Encoder&, int64_t batch, int) {
      ++begun;
      if (batch == 3) fail(Status::kNumeric, "batch ", batch);
    });
  });
  EXPECT_GE(begun, 4);
  EXPECT_LT(begun, 100000);
}

TEST(Replicas, ACancelledCallStops) {
  const auto encoder = load_on({"cpu", "cpu"});
  Cancel cancel;
  cancel.trigger();
  EncodeOptions options;
  options.cancel = &cancel;
  const std::vector<std::string> texts = many_texts();
  std::vector<float> out(texts.size() * static_cast<size_t>(encoder->dimension()));
  expect_error(Status::kCancelled, "cancelled",
               [&] { encoder->encode({texts.begin(), texts.end()}, options, out.data()); });
}

TEST(Replicas, WrongDevicesSayWhatIsAllowed) {
  expect_error(Status::kArgument, "tpu", [] { load_on({"cpu", "tpu"}); });
  expect_error(Status::kArgument, "do not share a call", [] { load_on({"cpu", "cuda:0"}); });
  LoadOptions both;
  both.device = "cuda:1";
  both.devices = {"cuda:0", "cuda:1"};
  expect_error(Status::kArgument, "leave device out",
               [&] { SentenceEncoder::load(kFolder, both); });
  LoadOptions narrow;
  narrow.precision = "int8";
  narrow.devices = {"cuda:0", "cuda:1"};
  expect_error(Status::kArgument, "device is cuda:0",
               [&] { SentenceEncoder::load(kFolder, narrow); });
  EXPECT_EQ(parse_devices("cuda:1", {}), (std::vector<runtime::Device>{{true, 1}}));
  EXPECT_EQ(parse_devices("cpu", {"cuda:1", "cuda"}),
            (std::vector<runtime::Device>{{true, 1}, {true, 0}}));
}

}  // namespace
}  // namespace contrastive::model
