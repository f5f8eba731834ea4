// Training steps of this library through its trainer, tokenising included, measured in a fresh
// process. It prints one JSON line a run. Tasks, texts and batches are those of the PyTorch
// programs of bench_train.py, which runs both in turn.
//
//   bench_train --model DIR --texts FILE [--shape minilm|base]
//               [--task consert|mnrl|sgopt|clsr|clear] [--n 32] [--threads 1] [--steps 5]
//               [--warm 2] [--round 0] [--dropout 0.1] [--checkpointing 0] [--device cpu]
//               [--amp off|bfloat16|float16] [--losses]
//
// Tasks:
//   consert  two dropout views of n texts
//   mnrl     n pairs of texts
//   sgopt    n texts and their layers' views by a frozen copy, with the distance of the weights
//   clsr     n pairs of texts whose frozen vectors are known, as from the second epoch on; there is
//            no PyTorch program
//   clear    n texts, masked language modelling and two views of them; there is no PyTorch program
//
// --shape base is 12 layers of 768 with random weights instead of the model's. --losses prints the
// losses, to compare runs without dropout.
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
#include "core/encoder/weights.h"
#include "core/model/sentence_encoder.h"
#include "core/runtime/threads.h"
#include "core/torch/run/training_run.h"
#include "tests/bench/device.h"

namespace {

using namespace contrastive;
using Clock = std::chrono::steady_clock;

constexpr int64_t kPairShift = 1000;   // batches between the two texts of a pair
constexpr int64_t kFrozenBatches = 2;  // batches that clsr repeats

bool pairs(const std::string& task) { return task == "mnrl" || task == "clsr"; }

// Processor seconds of all threads, which vary less on a busy machine.
double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double status_megabytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size() + 1, key + ":") == 0)
      return std::stod(line.substr(key.size() + 1)) / 1024;
  }
  return 0;
}

std::map<std::string, std::string> read_arguments(int count, char** words) {
  std::map<std::string, std::string> values{
      {"shape", "minilm"},    {"task", "consert"}, {"n", "32"},    {"threads", "1"},
      {"steps", "5"},         {"warm", "2"},       {"round", "0"}, {"dropout", "0.1"},
      {"checkpointing", "0"}, {"device", "cpu"},   {"amp", "off"}};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    check(word.compare(0, 2, "--") == 0, Status::kArgument, "unexpected argument ", word);
    if (word == "--losses") values["losses"] = "1";
    else if (i + 1 < count) values[word.substr(2)] = words[++i];
  }
  for (const char* needed : {"model", "texts"})
    check(values.count(needed) == 1, Status::kArgument, "--", needed, " is needed");
  return values;
}

// The start model: the folder's model, or its tokenizer with random weights of BERT-base's shape.
// It has the requested dropout.
std::shared_ptr<model::SentenceEncoder> make_model(const std::string& path, bool base,
                                                   double dropout, const std::string& device) {
  io::ModelFolder folder = io::read_model_folder(path);
  if (base) {
    folder.encoder = encoder::Architecture{};
    folder.weights = encoder::random_weights(folder.encoder, 1);
  }
  folder.encoder.hidden_dropout_prob = folder.encoder.attention_probs_dropout_prob = dropout;
  folder.poolings = {"mean"};
  folder.normalize = false;
  model::LoadOptions options;
  options.device = device;
  return std::make_shared<model::SentenceEncoder>(std::move(folder), options);
}

// The settings of bench_train.py's PyTorch programs as keys of this library.
Config make_config(const std::string& task, const std::string& amp, bool checkpointing,
                   bool dropout) {
  std::map<std::string, std::string> keys{
      {"method", task}, {"optimizer", "adamw"},
      {"lr", "5e-5"},   {"schedule", "constant"},
      {"amp", amp},     {"gradient_checkpointing", checkpointing ? "true" : "false"}};
  if (task == "clsr") {
    for (const char* own : {"optimizer", "lr"}) keys.erase(own);
  } else {
    keys[task + ".max_length"] = "64";
    keys[task + ".freeze_embeddings"] = "false";
    keys[task + ".dropout"] = dropout ? "true" : "false";
    keys[task + ".pooling"] = task == "sgopt" ? "cls" : "mean";
  }
  if (task == "clear")
    keys.insert({{"clear.preset", "small"}, {"clear.blocks", "false"}, {"accumulate", "1"}});
  if (task == "consert")
    keys.insert(
        {{"consert.view1", "none"}, {"consert.view2", "none"}, {"consert.temperature", "0.1"}});
  if (task == "sgopt")
    keys.insert({{"sgopt.objective", "sg-opt"},
                 {"sgopt.view_pooling", "mean"},
                 {"sgopt.temperature", "0.01"}});
  Config config;
  for (const auto& [key, value] : keys) config.set(key, value);
  return config;
}

class Bench {
 public:
  explicit Bench(std::map<std::string, std::string> arguments)
      : arguments_(std::move(arguments)), n_(number("n")), device_(arguments_.at("device")),
        trainer_(make_model(arguments_.at("model"), arguments_.at("shape") == "base",
                            std::stod(arguments_.at("dropout")), device_),
                 nullptr,
                 make_config(arguments_.at("task"), arguments_.at("amp"),
                             number("checkpointing") != 0,
                             std::stod(arguments_.at("dropout")) > 0)) {
    std::ifstream file(arguments_.at("texts"));
    check(file.good(), Status::kNotFound, arguments_.at("texts"), " cannot be read");
    for (std::string line; std::getline(file, line);) texts_.push_back(line);
  }

  void run() {
    const int64_t warm = number("warm"), steps = number("steps");
    if (arguments_.count("losses") != 0) {
      for (int64_t s = 0; s < steps; ++s) std::cout << step(s) << std::endl;
      return;
    }
    for (int64_t s = 0; s < warm; ++s) step(s);
    tokens_ = 0;
    bench::reset_device_peak(device_);
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
    const Json line{{"bench", "train"},
                    {"impl", "contrastive"},
                    {"shape", arguments_.at("shape")},
                    {"task", arguments_.at("task")},
                    {"n", n_},
                    {"threads", number("threads")},
                    {"round", number("round")},
                    {"checkpointing", number("checkpointing") != 0},
                    {"s_per_step_min", sorted.front()},
                    {"s_per_step_median", sorted[sorted.size() / 2]},
                    {"all", times},
                    {"cpu_s_per_step_min", least_cpu},
                    {"tokens_per_step", tokens_ / steps},
                    {"peak_rss_mb", status_megabytes("VmHWM")},
                    {"device", device_},
                    {"amp", arguments_.at("amp")},
                    {"device_peak_mb", bench::device_peak_mb(device_)}};
    std::cout << line.dump() << std::endl;
  }

 private:
  int64_t number(const std::string& key) const { return std::stoll(arguments_.at(key)); }

  const std::string& text(int64_t step, int64_t i) const {
    return texts_[static_cast<size_t>(step * n_ + i) % texts_.size()];
  }

  double step(int64_t number) {
    if (arguments_.at("task") == "clsr") number %= kFrozenBatches;
    std::vector<data::Example> examples(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      data::Example& example = examples[static_cast<size_t>(i)];
      example.a = text(number, i);
      example.has_b = pairs(arguments_.at("task"));
      if (example.has_b) example.b = text(number + kPairShift, i);
    }
    trainer_.step_batch(examples);
    bench::synchronize(device_);
    tokens_ += static_cast<int64_t>(trainer_.metric("tokens"));
    return trainer_.metric("loss");
  }

  std::map<std::string, std::string> arguments_;
  int64_t n_;
  std::string device_;
  run::TrainingRun trainer_;
  std::vector<std::string> texts_;
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
