// train_kills FIXTURES KILLS [SEED [PROGRAM]]: ends `contrastive train` KILLS times with kill -9,
// each time after a random part of its work, and resumes it with --resume. The runs take the
// methods in turn. Every finished run must equal an uninterrupted one, byte for byte: the model,
// the state for resuming, and the record (except its speeds). A resumed command never loses what
// was saved.
//
// A command is PROGRAM with its arguments. Without PROGRAM it is the program's main function in a
// child of this process, which has already loaded LibTorch: loading writes nothing and takes most
// of the time of a short command. The progress of a command is measured in processor time, which
// does not depend on the load of the machine.
#include <contrastive/contrastive.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "capi/program/verb.h"

// The program's main function, which a child calls.
#define main contrastive_program
int contrastive_program(int argc, char** argv);
#include "capi/program/main.cpp"  // NOLINT
#undef main

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr double kHang = 300;  // s; a run takes less than one second on an idle machine

std::string place;
[[noreturn]] void fail(const std::string& text) {
  std::printf("FAILED: %s (kept in %s)\n", text.c_str(), place.c_str());
  std::exit(1);
}

std::string bytes_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The files of a run by their relative paths, with the speeds removed from the record.
std::map<std::string, std::string> content_of(const std::string& folder) {
  static const std::regex speeds("\"(samples|tokens)_per_second\":[^,}]*,?");
  std::map<std::string, std::string> content;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (!item.is_regular_file()) continue;
    std::string& bytes = content[fs::relative(item.path(), folder).string()];
    bytes = bytes_of(item.path());
    if (item.path().filename() == "metrics.jsonl") bytes = std::regex_replace(bytes, speeds, "");
  }
  return content;
}

// Replaces the process by the program, or calls its main.
[[noreturn]] void become(const std::string& program, Words words) {
  const int errors = ::open("err", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (errors < 0 || ::dup2(errors, 2) < 0) ::_exit(126);
  words.insert(words.begin(), program.empty() ? "contrastive" : program);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (!program.empty()) ::execv(program.c_str(), arguments.data());
  ::_exit(program.empty() ? contrastive_program(static_cast<int>(words.size()), arguments.data())
                          : 127);
}

struct Ended {
  bool killed = false;
  int code = 0;        // where it was not
  double seconds = 0;  // of the processor
};

// Runs the command, and kills it once it has worked for `limit` seconds.
Ended run(const std::string& program, const Words& words, double limit) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) become(program, words);
  clockid_t clock{};
  if (::clock_getcpuclockid(child, &clock) != 0) fail("the clock of a process");
  Ended ended;
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    timespec worked{};
    if (::clock_gettime(clock, &worked) == 0)
      ended.seconds =
          static_cast<double>(worked.tv_sec) + 1e-9 * static_cast<double>(worked.tv_nsec);
    if (ended.seconds >= limit) ::kill(child, SIGKILL);
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kHang) {
      ::kill(child, SIGKILL);
      fail("a command hangs");
    }
    ::usleep(100);
  }
  ended.killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

// The cases: every method, and other saved state: adapters, the best weights, stages.
struct Case {
  std::string name;
  Words words;
  bool keeps_best = false;  // its result is the best model, from which no run resumes
};

std::vector<Case> cases(const std::string& fixtures) {
  const Words triplets = {"--train", "triplets.jsonl",
                          "--set",   "data.columns=query,positive",
                          "--set",   "data.negatives=negative"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto method = [&](const std::string& name, const Words& more) {
    return Case{name, with({"--method", name}, more)};
  };
  const Words pairs = {"--train", "pairs.tsv"}, texts = {"--train", "texts.txt"};
  return {method("mnrl", pairs),
          method("clsr", pairs),
          method("consert", texts),
          method("clear", texts),
          method("sgopt", with(texts, {"--set", "sgopt.head_width=32"})),
          method("simcse", texts),
          method("tsdae", texts),
          method("scored", {"--train", "scored.tsv"}),
          method("triplet", triplets),
          method("reranker", triplets),
          method("distill",
                 with(pairs, {"--set", "distill.teacher=" + fixtures + "/models/bert_st"})),
          {"consert in stages",
           {"--method", "consert", "--train", "labelled.tsv", "--set", "consert.mode=sup-unsup",
            "--set", "stage2.dataset=texts.txt", "--set", "stage2.max_steps=10"}},
          {"mnrl with a dev file",
           with({"--method", "mnrl", "--dev", "dev.tsv", "--set", "eval_every=2"}, pairs), true},
          {"mnrl with LoRA", with({"--method", "mnrl", "--set", "mnrl.lora_rank=4"}, pairs)},
          {"simcse in bfloat16", with({"--method", "simcse", "--set", "amp=bfloat16"}, texts)}};
}

void write_texts() {
  std::ofstream pairs("pairs.tsv"), texts("texts.txt"), scored("scored.tsv"),
      triplets("triplets.jsonl"), dev("dev.tsv"), labelled("labelled.tsv");
  for (int i = 1; i <= 40; ++i) {
    const std::string number = std::to_string(i);
    pairs << "the cat sat on the mat " << number << "\ta cat is on the mat " << number << "\n";
    texts << "the cat sat on the mat " << number << "\n";
    labelled << "the cat sat " << number << "\tcat on mat " << number << "\t" << i % 3 << "\n";
    dev << "0." << i % 10 << "\tthe cat sat " << number << "\tcat on mat " << i * 3 % 40 << "\n";
    scored << "the cat sat on the mat " << number << "\ta cat is on the mat " << i * 7 % 40
           << "\t0." << i % 10 << "\n";
    triplets << R"({"query": "the cat )" << number << R"(", "positive": "a cat sat on mat )"
             << number << R"(", "negative": "dog )" << i + 1 << "\"}\n";
  }
}

// How far the saved run in "out" is.
struct Progress {
  int64_t stage = 0, step = 0;
  bool operator<(const Progress& other) const {
    return std::tie(stage, step) < std::tie(other.stage, other.step);
  }
};

Progress progress() {
  const auto fields =
      nlohmann::json::parse(bytes_of("out/training_state/manifest.json")).at("fields");
  return {fields.value("stage", int64_t{0}), fields.at("step").get<int64_t>()};
}

// An uninterrupted run.
struct Whole {
  std::map<std::string, std::string> content;
  double took = 0;
};

// Whether a save or a record was in progress, and left a partial file.
bool is_half_written() {
  for (const auto& item : fs::directory_iterator(".")) {
    if (item.path().filename().string().rfind(".out", 0) == 0) return true;
  }
  if (!fs::exists("out")) return false;
  for (const auto& item : fs::recursive_directory_iterator("out")) {
    if (item.path().filename().string()[0] == '.') return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return std::fprintf(stderr, "usage: train_kills FIXTURES KILLS [SEED [PROGRAM]]\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string fixtures = fs::canonical(argv[1]).string(),
                    program = argc > 4 ? fs::canonical(argv[4]).string() : "";
  const long wanted = std::atol(argv[2]);
  const unsigned long long seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  std::mt19937_64 chance(seed);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  cs_set_threads(1, nullptr);
  cs_string_free(cs_build_info(nullptr));  // loads LibTorch

  place = (fs::temp_directory_path() / "contrastive-train-kills-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return std::perror("mkdtemp"), 2;
  fs::current_path(place);
  write_texts();

  // Saves after every update, to the folder of the result itself.
  const Words train = {"train",       "--model",      fixtures + "/models/bert_st",
                       "--max-steps", "30",           "--batch-size",
                       "4",           "--save-every", "1",
                       "--quiet",     "--threads",    "1"};
  const std::vector<Case> all = cases(fixtures);
  std::vector<std::optional<Whole>> wholes(all.size());
  const auto into = [&train](const std::string& folder, const Case& one, const Words& more) {
    Words words = train;
    words.insert(words.end(), one.words.begin(), one.words.end());
    words.insert(words.end(), {"--output", folder});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto unkilled = [&](const Case& one) {
    fs::remove_all("whole");
    fs::remove_all("again");
    Whole whole;
    whole.took = run(program, into("whole", one, {}), 1e9).seconds;
    if (!fs::exists("whole/model.safetensors") && !fs::exists("whole/adapter_model.safetensors")) {
      fail(one.name + ": the uninterrupted run fails: " + bytes_of("err"));
    }
    whole.content = content_of("whole");
    if (run(program, into("again", one, {}), 1e9).code != 0 ||
        content_of("again") != whole.content) {
      fail(one.name + ": two runs that nobody killed differ: there is nothing to compare with");
    }
    return whole;
  };

  // A run is killed a limited number of times, so that every case gets its turn.
  const long share = std::max<long>(4, wanted / static_cast<long>(all.size()));
  long kills = 0, runs = 0, early = 0, half = 0, met = 0;
  for (size_t next = seed % all.size(); kills < wanted; next = (next + 1) % all.size()) {
    for (const auto& item : fs::directory_iterator(".")) {
      if (item.path().filename() == "out" || item.path().filename().string().rfind(".out", 0) == 0)
        fs::remove_all(item.path());
    }
    const Case& one = all[next];
    if (!wholes[next]) {
      wholes[next] = unkilled(one);
      ++met;
    }
    const Whole& whole = *wholes[next];
    // Limits from no work at all to some updates, plus the time for loading if each command loads.
    std::uniform_real_distribution<double> part(0, program.empty() ? whole.took / 4 : whole.took);
    ++runs;
    const auto when = [&] {
      return one.name + ", run " + std::to_string(runs) + ", after " + std::to_string(kills) +
             " kills: ";
    };
    Words options;
    const long enough = std::min(wanted, kills + share);
    Progress saved;
    for (;;) {
      const Ended ended =
          run(program, into("out", one, options), kills < enough ? part(chance) : 1e9);
      if (!ended.killed && ended.code == 0) break;
      if (!ended.killed)
        fail(when() + "the command ends with " + std::to_string(ended.code) + ": " +
             bytes_of("err"));
      if (++kills % 1000 == 0) std::printf("%ld kills of %ld runs so far\n", kills, runs);
      half += is_half_written() ? 1 : 0;
      if (fs::exists("out/training_state/manifest.json")) {
        options = {"--resume", "out"};
        if (progress() < saved) fail(when() + "it begins again");
        saved = progress();
      } else {
        options = {"--force"};
        saved = {};
        if (!fs::exists("out")) {
          ++early;
        } else if (!one.keeps_best ||
                   bytes_of("out/model.safetensors") != whole.content.at("model.safetensors")) {
          fail(when() + "out is there, and holds neither a run nor its result");
        }
      }
    }
    if (content_of("out") != whole.content) fail(when() + "it differs from the uninterrupted run");
    if (is_half_written()) fail(when() + "something half-written stayed");
  }
  std::printf("%ld kills of %ld runs of %ld of %zu cases, %ld of them before the first save, %ld "
              "while something was being written: every finished run "
              "equals an uninterrupted one\n",
              kills, runs, met, all.size(), early, half);
  if (wanted >= 500 && (half == 0 || early == kills)) fail("no kill met what it was for");
  fs::current_path("/");
  fs::remove_all(place);
}
