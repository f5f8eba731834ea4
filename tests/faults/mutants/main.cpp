// mutants FIXTURES [COUNT [SEED]]: damages COUNT copies of the fixture models and of a saved run, and has each loaded and used in a process of its own:
// none may crash, take more than ten seconds of the processor, sixty of the clock or 2 GB, report a bug of the library, or answer OK with what is no
// number.
#include <contrastive/contrastive.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/faults/mutants/mutations.h"

namespace {

namespace fs = std::filesystem;

enum Outcome : int { kUsed, kRefused, kRefusedText, kNotFinite, kBug, kGreedy, kNoMessage, kSetUp };
const char* const kOutcomes[] = {"used", "refused", "refused while in use", "NaN WITH OK", "INTERNAL", "MORE THAN 2 GB", "NO MESSAGE", "NOT SET UP"};
constexpr int kSeconds = 10;
constexpr rlim_t kMemory = rlim_t{2} << 30;

const char* const kTexts[] = {"the cat sat on the mat.", "caf\xc3\xa9 \xe4\xbd\xa0\xe5\xa5\xbd \xff", "",
                              "a dog and a house and two birds and a dog and a house and two birds"};
constexpr int kTextCount = 4;
const char* const kPairs[] = {"the cat", "a cat", "a dog", "the dog"};

// What a failure is worth: a bug of the library, memory asked for that the limit has not, an error that says nothing, or what it should be.
int judge(cs_error* error, int outcome) {
  if (error == nullptr) return kNoMessage;
  const cs_status status = cs_error_status(error);
  const bool bug = status == CS_ERROR_INTERNAL, greedy = status == CS_ERROR_NO_MEMORY, silent = std::strlen(cs_error_message(error)) < 5;
  if (bug || std::getenv("MUTANTS_VERBOSE") != nullptr) std::fprintf(stderr, "%s: %s\n", cs_status_name(status), cs_error_message(error));
  cs_error_free(error);
  return bug ? kBug : greedy ? kGreedy : silent ? kNoMessage : outcome;
}

int use_model(const cs_model* model) {
  cs_error* error = nullptr;
  const int32_t dimension = cs_model_dimension(model);
  if (dimension <= 0) return kBug;
  std::vector<float> out(static_cast<size_t>(kTextCount) * static_cast<size_t>(dimension));
  const cs_status status = cs_encode(model, kTexts, nullptr, kTextCount, nullptr, out.data(), static_cast<int64_t>(out.size()), &error);
  if (status != CS_OK) return judge(error, kRefusedText);
  for (const float value : out) {
    if (!std::isfinite(value)) return kNotFinite;
  }
  return kUsed;
}

int use(const std::string& folder, const std::string& json, bool run) {
  cs_error* error = nullptr;
  cs_config* const config = cs_config_parse(json.c_str(), &error);
  cs_model* const model = cs_model_load(folder.c_str(), config, &error);
  if (model == nullptr) return judge(error, kRefused);
  int outcome = use_model(model);
  if (run && outcome == kUsed) {
    cs_trainer* const trainer = cs_trainer_resume(folder.c_str(), model, nullptr, nullptr, &error);
    if (trainer == nullptr) return judge(error, kRefused);
    const cs_status status = cs_train_batch(trainer, kPairs, nullptr, 2, 2, nullptr, nullptr, &error);
    cs_model* const trained = status < 0 ? nullptr : cs_trainer_model(trainer, 0, &error);
    outcome = trained == nullptr ? judge(error, kRefusedText) : use_model(trained);
    cs_model_free(trained);
    cs_trainer_free(trainer);
  }
  cs_model_free(model);
  cs_config_free(config);
  return outcome;
}

int make_run(const std::string& start, const std::string& path) {
  cs_error* error = nullptr;
  cs_model* const model = cs_model_load(start.c_str(), nullptr, &error);
  cs_config* const config = cs_config_parse("{\"method\": \"mnrl\", \"max_steps\": 9}", &error);
  cs_trainer* const trainer = cs_trainer_new(model, nullptr, config, &error);
  if (cs_train_batch(trainer, kPairs, nullptr, 2, 2, nullptr, nullptr, &error) != CS_OK) return kSetUp;
  return cs_trainer_save(trainer, path.c_str(), &error) == CS_OK ? kUsed : kSetUp;
}

int64_t address_space() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

// The wait status of `work` in a process of its own, which has so many seconds of the processor, and of the clock what a busy machine makes of them.
template <class Work>
int in_a_process(int seconds, rlim_t memory, Work work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto processor = static_cast<rlim_t>(seconds);
    const struct rlimit none = {0, 0}, space = {memory, memory}, time = {processor, processor + 1};
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_AS, &space);
    ::setrlimit(RLIMIT_CPU, &time);
    ::alarm(6 * static_cast<unsigned>(seconds));
    ::_exit(work());
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: mutants FIXTURES [COUNT [SEED]]\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string models = std::string(argv[1]) + "/models";
  const int count = argc > 2 ? std::atoi(argv[2]) : 500;
  const auto seed = static_cast<uint64_t>(argc > 3 ? std::atoll(argv[3]) : 1);
  std::string place = (fs::temp_directory_path() / "contrastive-mutants-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return std::perror("mkdtemp"), 2;

  // Everything that a process loads once is there before the first of them begins; one thread, so that a fork has all of it.
  cs_set_threads(1, nullptr);
  if (use(models + "/bert_st", "{}", false) != kUsed) return std::fprintf(stderr, "the fixture cannot be used\n"), 2;
  const rlim_t memory = static_cast<rlim_t>(address_space()) + kMemory;
  const std::string run = place + "/run";
  if (in_a_process(120, RLIM_INFINITY, [&] { return make_run(models + "/bert_st", run); }) != 0)
    return std::fprintf(stderr, "no run could be saved\n"), 2;

  const std::vector<std::string> starts = {"bert_st", "bert_st_old", "bert_gamma", "bert_f16", "bert_bf16", "roberta_hf", "roberta_sharded", ""};
  int outcomes[kSetUp + 1] = {}, failures = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    std::mt19937_64 random(seed * 1000003 + static_cast<uint64_t>(i));
    const std::string &start = starts[random() % starts.size()], folder = place + "/mutant";
    const bool whole_run = start.empty();
    fs::copy(whole_run ? run : models + "/" + start, folder, fs::copy_options::recursive);
    for (const auto& item : fs::recursive_directory_iterator(folder)) fs::permissions(item.path(), fs::perms::owner_all, fs::perm_options::add);
    const std::string what = contrastive::faults::mutate(folder, random);
    std::string json = start.rfind("roberta", 0) == 0 ? "{\"pooling\": \"mean\"" : "{\"x-mutant\": true";
    if (random() % 4 == 0) json += ", \"allow_non_finite\": true";
    if (random() % 8 == 0) json += ", \"memory_map\": true";
    if (random() % 8 == 0) json += ", \"allow_pickle\": true";
    json += "}";
    const auto work = [&] { return use(folder, json, whole_run); };
    const int status = in_a_process(kSeconds, memory, work);
    const int outcome = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (outcome >= 0 && outcome <= kSetUp) ++outcomes[outcome];
    if (outcome != kUsed && outcome != kRefused && outcome != kRefusedText) {
      ++failures;
      const std::string how = outcome < 0         ? "signal " + std::to_string(WTERMSIG(status))
                              : outcome <= kSetUp ? kOutcomes[outcome]
                                                  : "exit " + std::to_string(outcome);
      std::printf("FAILED: mutant %d of seed %llu: %s\n  %s%s, %s\n", i, static_cast<unsigned long long>(seed), how.c_str(),
                  whole_run ? "a run: " : (start + ": ").c_str(), what.c_str(), json.c_str());
      const std::string kept = place + "/failed-" + std::to_string(i);
      fs::rename(folder, kept);
      std::printf("  kept in %s\n", kept.c_str());
    }
    fs::remove_all(folder);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%d mutants in %.1f s: %d used, %d refused, %d refused while in use, %d failures\n", count, seconds, outcomes[kUsed], outcomes[kRefused],
              outcomes[kRefusedText], failures);
  if (failures > 0) return 1;
  fs::remove_all(place);
  // A generator that damages nothing, or everything beyond use, would test nothing.
  if (count >= 100 && (outcomes[kUsed] < count / 20 || outcomes[kRefused] < count / 5)) return std::printf("FAILED: the mutants are too alike\n"), 1;
  return 0;
}
