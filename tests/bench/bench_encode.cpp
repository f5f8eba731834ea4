// Encode throughput, single-text latency, load time and memory of this library. It prints one JSON
// line a result. Arguments and output are the same as those of the peers' benchmark, so that one
// driver (bench_encode.py) can run all of them in turn.
//
//   bench_encode --model DIR --inputs DIR [--threads N] [--sets short,mixed,long] [--batches 0]
//                [--runs 1] [--latency 200] [--round N] [--memory-map 0] [--precision float32]
//                [--device cpu] [--load-only]
//
// --device   other devices than cpu need bench_encode_cuda, the same program with LibTorch
// --inputs   has <set>.txt (one text a line), single20.txt and mixed.txt
// --batches  token budgets of a packed batch; 0 lets the library choose
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/model/sentence_encoder.h"
#include "core/runtime/threads.h"
#include "tests/bench/device.h"

namespace {

using contrastive::Json;
using contrastive::model::EncodeOptions;
using contrastive::model::SentenceEncoder;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Seconds since the kernel started this process, which includes dynamic linking.
double process_age() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
         std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double status_megabytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size() + 1, key + ":") == 0)
      return std::stod(line.substr(key.size() + 1)) / 1024;
  }
  return 0;
}

void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  contrastive::check(file.good(), contrastive::Status::kNotFound, path, " cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

struct Arguments {
  std::map<std::string, std::string> values{{"threads", "1"},    {"sets", "short,mixed,long"},
                                            {"batches", "0"},    {"runs", "1"},
                                            {"latency", "200"},  {"round", "0"},
                                            {"memory-map", "0"}, {"precision", "float32"},
                                            {"device", "cpu"}};
  Arguments(int count, char** words) {
    for (int i = 1; i < count; ++i) {
      const std::string word = words[i];
      contrastive::check(word.compare(0, 2, "--") == 0, contrastive::Status::kArgument,
                         "unexpected argument ", word);
      if (word == "--load-only") values["load-only"] = "1";
      else if (i + 1 < count) values[word.substr(2)] = words[++i];
    }
    for (const char* needed : {"model", "inputs"})
      contrastive::check(values.count(needed) == 1, contrastive::Status::kArgument, "--", needed,
                         " is needed");
  }
  const std::string& text(const std::string& key) const { return values.at(key); }
  int number(const std::string& key) const { return std::stoi(values.at(key)); }
};

class Bench {
 public:
  explicit Bench(const Arguments& arguments) : arguments_(arguments) {
    contrastive::runtime::set_threads(arguments.number("threads"));
    contrastive::bench::reset_device_peak(
        arguments.text("device"));  // refuses a device that this program does not know
  }

  void load() {
    contrastive::model::LoadOptions options;
    options.memory_map = arguments_.number("memory-map") != 0;
    options.precision = arguments_.text("precision");
    options.device = arguments_.text("device");
    encoder_ = SentenceEncoder::load(arguments_.text("model"), options);
    encode({"A quick first sentence, to see the library awake."}, 0);
    const double age = process_age();
    emit("load", {{"seconds", age},
                  {"rss_mb", status_megabytes("VmRSS")},
                  {"peak_rss_mb", status_megabytes("VmHWM")}});
  }

  void throughput(const std::string& set, int64_t batch, int run) {
    const std::vector<std::string> texts = lines_of(arguments_.text("inputs") + "/" + set + ".txt");
    reset_peak();
    contrastive::bench::reset_device_peak(arguments_.text("device"));
    const Clock::time_point begin = Clock::now();
    const int64_t tokens = encode(texts, batch);
    const double seconds = seconds_since(begin);
    const double device_peak = contrastive::bench::device_peak_mb(arguments_.text("device"));
    emit("encode", {{"run", run},
                    {"set", set},
                    {"batch", batch},
                    {"seconds", seconds},
                    {"texts_per_s", static_cast<double>(texts.size()) / seconds},
                    {"tokens_per_s", static_cast<double>(tokens) / seconds},
                    {"rss_mb", status_megabytes("VmRSS")},
                    {"peak_rss_mb", status_megabytes("VmHWM")},
                    {"device_peak_mb", device_peak}});
  }

  void latency(int run) {
    std::vector<std::string> texts = lines_of(arguments_.text("inputs") + "/single20.txt");
    texts.resize(std::min(texts.size(), static_cast<size_t>(arguments_.number("latency"))));
    for (size_t i = 0; i < std::min<size_t>(20, texts.size()); ++i) encode({texts[i]}, 0);
    std::vector<double> times;
    for (const std::string& text : texts) {
      const Clock::time_point begin = Clock::now();
      encode({text}, 0);
      times.push_back(1e3 * seconds_since(begin));
    }
    std::sort(times.begin(), times.end());
    const auto percentile = [&](double p) {
      return times[std::min(times.size() - 1,
                            static_cast<size_t>(p / 100 * static_cast<double>(times.size() - 1) +
                                                0.5))];
    };
    emit("latency", {{"run", run},
                     {"set", "single20"},
                     {"n", times.size()},
                     {"p50_ms", percentile(50)},
                     {"p90_ms", percentile(90)},
                     {"p99_ms", percentile(99)},
                     {"max_ms", times.back()}});
  }

 private:
  // The number of tokens computed.
  int64_t encode(const std::vector<std::string>& texts, int64_t budget) {
    EncodeOptions options;
    options.batch_tokens = budget;
    out_.resize(texts.size() * static_cast<size_t>(encoder_->dimension()));
    counts_.resize(texts.size());
    encoder_->encode({texts.begin(), texts.end()}, options, out_.data(), counts_.data());
    contrastive::bench::synchronize(arguments_.text("device"));
    int64_t tokens = 0;
    for (const int32_t count : counts_) tokens += std::min<int64_t>(count, encoder_->max_length());
    return tokens;
  }

  void emit(const std::string& bench, const Json& values) {
    Json line{{"bench", bench},
              {"peer", "contrastive"},
              {"threads", arguments_.number("threads")},
              {"round", arguments_.number("round")},
              {"precision", arguments_.text("precision")},
              {"device", arguments_.text("device")}};
    line.update(values);
    std::cout << line.dump() << std::endl;
  }

  const Arguments& arguments_;
  std::shared_ptr<SentenceEncoder> encoder_;
  std::vector<float> out_;
  std::vector<int32_t> counts_;
};

}  // namespace

int main(int count, char** words) {
  try {
    const Arguments arguments(count, words);
    Bench bench(arguments);
    bench.load();
    if (arguments.values.count("load-only") != 0) return 0;
    bench.throughput("mixed", 0, -1);  // to warm up; run -1 is not reported
    for (int run = 0; run < arguments.number("runs"); ++run) {
      for (const std::string& set : split(arguments.text("sets"))) {
        for (const std::string& batch : split(arguments.text("batches")))
          bench.throughput(set, std::stoll(batch), run);
      }
      if (arguments.number("latency") > 0) bench.latency(run);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_encode: %s\n", error.what());
    return 1;
  }
  return 0;
}
