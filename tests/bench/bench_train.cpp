// One training step of the encoder, tokenising included, measured in a fresh process: one JSON line a run, with the same tasks, texts and batches as
// the PyTorch programs of bench_train.py, which runs both in turn.
//
//   bench_train --model DIR --texts FILE [--shape minilm|base] [--task consert|mnrl] [--n 32] [--threads 1] [--steps 5] [--warm 2] [--round 0]
//               [--dropout 0.1] [--checkpointing 0] [--losses]
//
// consert: two dropout views of n texts in one packed batch, NT-Xent at 0.1. mnrl: n pairs of texts, cross entropy over the batch at scale 20.
// --shape base: 12 layers of 768 with random weights instead of the model's. --losses prints the first losses, for a comparison without dropout.
#include <ATen/ops/empty.h>
#include <ATen/TensorOperators.h>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/model/sentence_encoder.h"
#include "core/objectives/nt_xent.h"
#include "core/runtime/threads.h"
#include "core/train/gradients.h"
#include "core/train/optimizer.h"

namespace {

using namespace contrastive;
using Clock = std::chrono::steady_clock;

constexpr int64_t kMaxLength = 64;
constexpr int64_t kPairShift = 1000;  // a pair's second text: the batch so many steps later

// Processor seconds of all threads: on a busy machine the steadier measure.
double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double status_megabytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size() + 1, key + ":") == 0) return std::stod(line.substr(key.size() + 1)) / 1024;
  }
  return 0;
}

std::map<std::string, std::string> read_arguments(int count, char** words) {
  std::map<std::string, std::string> values{{"shape", "minilm"}, {"task", "consert"}, {"n", "32"}, {"threads", "1"}, {"steps", "5"}, {"warm", "2"},
                                            {"round", "0"}, {"dropout", "0.1"}, {"checkpointing", "0"}};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    check(word.compare(0, 2, "--") == 0, Status::kArgument, "unexpected argument ", word);
    if (word == "--losses") values["losses"] = "1";
    else if (i + 1 < count) values[word.substr(2)] = words[++i];
  }
  for (const char* needed : {"model", "texts"}) check(values.count(needed) == 1, Status::kArgument, "--", needed, " is needed");
  return values;
}

class Bench {
 public:
  explicit Bench(std::map<std::string, std::string> arguments)
      : arguments_(std::move(arguments)), n_(number("n")), start_(model::SentenceEncoder::load(arguments_.at("model"))), encoder_(make_encoder()) {
    std::ifstream file(arguments_.at("texts"));
    check(file.good(), Status::kNotFound, arguments_.at("texts"), " cannot be read");
    for (std::string line; std::getline(file, line);) texts_.push_back(line);
    encoder_.set_requires_grad(true);
    encoder_.set_checkpointing(number("checkpointing") != 0);
    for (const auto& [name, tensor] : encoder_.named_parameters()) {
      // Hugging Face's models have a pooler that these tasks do not use; it gets no gradient there either.
      parameters_.push_back({name, tensor, true});
    }
    train::OptimizerOptions options;
    optimizer_ = train::make_optimizer(options, parameters_);
  }

  void run() {
    const int64_t warm = number("warm"), steps = number("steps");
    if (arguments_.count("losses") != 0) {
      for (int64_t s = 0; s < steps; ++s) std::cout << step(s) << std::endl;
      return;
    }
    for (int64_t s = 0; s < warm; ++s) step(s);
    tokens_ = 0;
    std::vector<double> times;
    double least_cpu = 1e9;
    for (int64_t s = 0; s < steps; ++s) {
      const Clock::time_point begin = Clock::now();
      const double cpu = cpu_seconds();
      step(warm + s);
      times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      least_cpu = std::min(least_cpu, cpu_seconds() - cpu);
    }
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    const Json line{{"bench", "train"}, {"impl", "contrastive"}, {"shape", arguments_.at("shape")}, {"task", arguments_.at("task")}, {"n", n_},
                    {"threads", number("threads")}, {"round", number("round")}, {"checkpointing", number("checkpointing") != 0},
                    {"s_per_step_min", sorted.front()}, {"s_per_step_median", sorted[sorted.size() / 2]}, {"all", times},
                    {"cpu_s_per_step_min", least_cpu},
                    {"tokens_per_step", tokens_ / steps}, {"peak_rss_mb", status_megabytes("VmHWM")}};
    std::cout << line.dump() << std::endl;
  }

 private:
  int64_t number(const std::string& key) const { return std::stoll(arguments_.at(key)); }

  nn::Encoder make_encoder() const {
    if (arguments_.at("shape") == "minilm") return start_->encoder().clone();
    return nn::Encoder::random(nn::EncoderOptions{}, 1);
  }

  void tokenize(int64_t step, text::TokenBatch& batch) const {
    for (int64_t i = 0; i < n_; ++i) {
      start_->tokenizer().append(texts_[static_cast<size_t>(step * n_ + i) % texts_.size()], kMaxLength, batch);
    }
  }

  double step(int64_t s) {
    const bool pairs = arguments_.at("task") == "mnrl";
    text::TokenBatch batch;
    tokenize(s, batch);
    tokenize(pairs ? s + kPairShift : s, batch);
    tokens_ += batch.tokens();
    nn::PackedTokens tokens;
    tokens.ids = batch.ids.data();
    tokens.type_ids = batch.type_ids.empty() ? nullptr : batch.type_ids.data();
    tokens.offsets = batch.offsets.data();
    tokens.texts = batch.texts();
    nn::Dropout dropout;
    dropout.hidden = dropout.attention = std::stod(arguments_.at("dropout"));
    dropout.epoch = static_cast<uint64_t>(s);
    for (int64_t i = 0; i < tokens.texts; ++i) dropout.examples.push_back(static_cast<uint64_t>(i));
    const std::vector<at::Tensor> states = encoder_.run_layers(encoder_.embed(tokens, dropout), tokens, dropout);
    const at::Tensor vectors = encoder_.pool(nn::parse_pooling("mean", encoder_.options().num_hidden_layers), states, tokens);
    objectives::NtXentOptions options;
    options.temperature = pairs ? 0.05 : 0.1;
    options.sides = pairs ? objectives::Sides::kOne : objectives::Sides::kBoth;
    const at::Tensor loss = objectives::nt_xent(vectors.narrow(0, 0, n_), vectors.narrow(0, n_, n_), options);
    loss.backward();
    optimizer_->step(5e-5);
    train::clear_gradients(parameters_);
    return loss.item<double>();
  }

  std::map<std::string, std::string> arguments_;
  int64_t n_;
  std::shared_ptr<model::SentenceEncoder> start_;
  nn::Encoder encoder_;
  std::vector<std::string> texts_;
  std::vector<methods::Parameter> parameters_;
  std::unique_ptr<train::Optimizer> optimizer_;
  int64_t tokens_ = 0;
};

}  // namespace

int main(int count, char** words) {
  try {
    auto arguments = read_arguments(count, words);
    runtime::set_threads(std::stoi(arguments.at("threads")));
    Bench(std::move(arguments)).run();
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
  return 0;
}
