// mutants FIXTURES [COUNT [SEED [FIRST]]]: damages COUNT copies of folders of every kind (models of
// all families, rerankers, runs, adapters, static embeddings, pickled weights), and loads and uses
// each in a separate process. None may crash, take more than ten processor seconds, sixty seconds
// or 2 GB, report a bug of the library, or succeed with results that are not finite.
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
#include "tests/faults/mutants/starts.h"

namespace {

namespace fs = std::filesystem;
using contrastive::faults::Kind;
using contrastive::faults::Start;

enum Outcome : int { kUsed, kRefused, kRefusedText, kNotFinite, kBug, kGreedy, kNoMessage };
const char* const kOutcomes[] = {"used",        "refused",  "refused while in use",
                                 "NaN WITH OK", "INTERNAL", "MORE THAN 2 GB",
                                 "NO MESSAGE"};
constexpr int kSeconds = 10;
constexpr rlim_t kMemory = rlim_t{2} << 30;

const char* const kTexts[] = {
    "the cat sat on the mat.", "caf\xc3\xa9 \xe4\xbd\xa0\xe5\xa5\xbd \xff", "",
    "a dog and a house and two birds and a dog and a house and two birds"};
constexpr int kTextCount = 4;
const char* const kPairs[] = {"the cat", "a cat", "a dog", "the dog"};

// Classifies a failure: a bug of the library, too much memory, an error without information, or a
// proper refusal.
int judge(cs_error* error, int outcome) {
  if (error == nullptr) return kNoMessage;
  const cs_status status = cs_error_status(error);
  const bool bug = status == CS_ERROR_INTERNAL, greedy = status == CS_ERROR_NO_MEMORY,
             silent = std::strlen(cs_error_message(error)) < 5;
  if (bug || greedy || std::getenv("MUTANTS_VERBOSE") != nullptr)
    std::fprintf(stderr, "%s: %s\n", cs_status_name(status), cs_error_message(error));
  cs_error_free(error);
  return bug ? kBug : greedy ? kGreedy : silent ? kNoMessage : outcome;
}

int use_model(const cs_model* model) {
  cs_error* error = nullptr;
  const int32_t dimension = cs_model_dimension(model);
  if (dimension <= 0) return kBug;
  std::vector<float> out(static_cast<size_t>(kTextCount) * static_cast<size_t>(dimension));
  const cs_status status = cs_encode(model, kTexts, nullptr, kTextCount, nullptr, out.data(),
                                     static_cast<int64_t>(out.size()), &error);
  if (status != CS_OK) return judge(error, kRefusedText);
  for (const float value : out) {
    if (!std::isfinite(value)) return kNotFinite;
  }
  return kUsed;
}

int use_trained(const std::string& folder, cs_model* model) {
  cs_error* error = nullptr;
  cs_trainer* const trainer = cs_trainer_resume(folder.c_str(), model, nullptr, nullptr, &error);
  if (trainer == nullptr) return judge(error, kRefused);
  const cs_status status = cs_train_batch(trainer, kPairs, nullptr, 2, 2, nullptr, nullptr, &error);
  cs_model* const trained = status < 0 ? nullptr : cs_trainer_model(trainer, 0, &error);
  const int outcome = trained == nullptr ? judge(error, kRefusedText) : use_model(trained);
  cs_model_free(trained);
  cs_trainer_free(trainer);
  return outcome;
}

int use_reranker(const std::string& folder, const cs_config* config) {
  cs_error* error = nullptr;
  cs_model* const reranker = cs_model_load(folder.c_str(), config, &error);
  if (reranker == nullptr) return judge(error, kRefused);
  const int32_t labels = cs_model_labels(reranker);
  if (labels <= 0) return kBug;
  std::vector<float> scores(static_cast<size_t>(kTextCount) * static_cast<size_t>(labels));
  const cs_status status = cs_rerank(reranker, "the cat", -1, kTexts, nullptr, kTextCount, nullptr,
                                     scores.data(), static_cast<int64_t>(scores.size()), &error);
  cs_model_free(reranker);
  if (status != CS_OK) return judge(error, kRefusedText);
  for (const float score : scores) {
    if (!std::isfinite(score)) return kNotFinite;
  }
  return kUsed;
}

// `base`: the model of an adapter.
int use(Kind kind, const std::string& folder, std::string json, const std::string& base) {
  if (kind == Kind::kAdapter) json += ", \"adapter\": \"" + folder + "\"";
  if (kind == Kind::kReranker) json += R"(, "kind": "reranker")";
  cs_error* error = nullptr;
  cs_config* const config = cs_config_parse(("{" + json + "}").c_str(), &error);
  if (kind == Kind::kReranker) return use_reranker(folder, config);
  cs_model* const model =
      cs_model_load(kind == Kind::kAdapter ? base.c_str() : folder.c_str(), config, &error);
  if (model == nullptr) return judge(error, kRefused);
  int outcome = use_model(model);
  if (kind == Kind::kRun && outcome == kUsed) outcome = use_trained(folder, model);
  cs_model_free(model);
  cs_config_free(config);
  return outcome;
}

int64_t address_space() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

// The wait status of `work` in a separate process with a limit of processor seconds, and a larger
// limit of real time for a busy machine.
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
  if (argc < 2) return std::fprintf(stderr, "usage: mutants FIXTURES [COUNT [SEED [FIRST]]]\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string fixtures = argv[1], base = fixtures + "/models/bert_st";
  const int count = argc > 2 ? std::atoi(argv[2]) : 500;
  const auto seed = static_cast<uint64_t>(argc > 3 ? std::atoll(argv[3]) : 1);
  const int first_mutant = argc > 4 ? std::atoi(argv[4]) : 0;
  std::string place = (fs::temp_directory_path() / "contrastive-mutants-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return std::perror("mkdtemp"), 2;

  // Loads everything that a process loads once before the first fork, with one thread, so that the
  // fork is complete.
  cs_set_threads(1, nullptr);
  if (use(Kind::kModel, base, "", base) != kUsed)
    return std::fprintf(stderr, "the fixture cannot be used\n"), 2;
  const rlim_t memory = static_cast<rlim_t>(address_space()) + kMemory;
  if (in_a_process(120, RLIM_INFINITY,
                   [&] { return contrastive::faults::write_starts(fixtures, place) ? 0 : 1; }) != 0)
    return std::fprintf(stderr, "the folders to damage could not be created\n"), 2;

  const contrastive::faults::Starts groups = contrastive::faults::find_starts(fixtures, place);
  for (const auto& group : groups) {
    for (const Start& start : group) {
      const int whole = in_a_process(60, RLIM_INFINITY,
                                     [&] { return use(start.kind, start.path, start.json, base); });
      if (whole != 0)
        return std::fprintf(stderr, "%s cannot be used undamaged: %d\n", start.path.c_str(), whole),
               2;
    }
  }
  int outcomes[kNoMessage + 1] = {}, failures = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = first_mutant; i < first_mutant + count; ++i) {
    std::mt19937_64 random(seed * 1000003 + static_cast<uint64_t>(i));
    const std::vector<Start>& group = groups[random() % groups.size()];
    const Start& start = group[random() % group.size()];
    const std::string folder = place + "/mutant";
    fs::copy(start.path, folder, fs::copy_options::recursive);
    fs::remove(folder + "/golden.json");
    for (const auto& item : fs::recursive_directory_iterator(folder))
      fs::permissions(item.path(), fs::perms::owner_all, fs::perm_options::add);
    const std::string what = contrastive::faults::mutate(folder, random);
    std::string json = start.json;
    const bool pickle = json.find("allow_pickle") != std::string::npos;
    if (random() % 4 == 0) json += ", \"allow_non_finite\": true";
    if (random() % 8 == 0) json += ", \"memory_map\": true";
    if (random() % 8 == 0 && !pickle) json += ", \"allow_pickle\": true";
    const auto work = [&] { return use(start.kind, folder, json, base); };
    const int status = in_a_process(kSeconds, memory, work);
    const int outcome = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (outcome >= 0 && outcome <= kNoMessage) ++outcomes[outcome];
    if (outcome != kUsed && outcome != kRefused && outcome != kRefusedText) {
      ++failures;
      const std::string how = outcome < 0             ? "signal " + std::to_string(WTERMSIG(status))
                              : outcome <= kNoMessage ? kOutcomes[outcome]
                                                      : "exit " + std::to_string(outcome);
      std::printf("FAILED: mutant %d of seed %llu: %s\n  %s: %s; {%s}\n", i,
                  static_cast<unsigned long long>(seed), how.c_str(), start.path.c_str(),
                  what.c_str(), json.c_str());
      const std::string kept = place + "/failed-" + std::to_string(i);
      fs::rename(folder, kept);
      std::printf("  kept in %s\n", kept.c_str());
    }
    fs::remove_all(folder);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%d mutants in %.1f s: %d used, %d refused, %d refused while in use, %d failures\n",
              count, seconds, outcomes[kUsed], outcomes[kRefused], outcomes[kRefusedText],
              failures);
  if (failures > 0) return 1;
  fs::remove_all(place);
  // Damage that is always harmless, or always fatal, would test nothing.
  if (count >= 100 && (outcomes[kUsed] < count / 20 || outcomes[kRefused] < count / 5))
    return std::printf("FAILED: nearly all mutants were used, or nearly all were refused\n"), 1;
  return 0;
}
