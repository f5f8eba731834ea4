#include "capi/program/local_ranks.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "core/base/temporary.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kMostRanks = 1024;
constexpr std::chrono::seconds kPatience{10};  // for other ranks to end after rank 0

int64_t number_of(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 4 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  const int64_t number = digits ? std::stoll(text) : 0;
  if (number < 1 || number > kMostRanks) {
    throw usage_failure("--ranks '" + text + "': a number from 1 to " + std::to_string(kMostRanks) +
                        " is needed, or env");
  }
  return number;
}

std::vector<std::pair<std::string, std::string>> keys_of(int64_t rank, int64_t ranks,
                                                         const std::string& folder) {
  return {{"dist.mode", "keys"},
          {"dist.rank", std::to_string(rank)},
          {"dist.world_size", std::to_string(ranks)},
          {"dist.store", "file://" + folder + "/store"},
          {"dist.interface", "lo"}};
}

}  // namespace

LocalRanks::LocalRanks(const std::string& ranks, Settings& settings) {
  if (ranks == "env") settings.set_flag("dist.mode", std::string("env"));
  if (ranks.empty() || ranks == "env") return;
  ranks_ = number_of(ranks);
  if (ranks_ == 1) return;
  folder_ = make_scratch_folder("contrastive-ranks");
  for (const auto& [key, value] : keys_of(0, ranks_, folder_->path()))
    settings.set_flag(key, value);
}

// This command line without --ranks, with the keys of that rank after all others.
std::vector<std::string> LocalRanks::command_of(int64_t rank) const {
  const std::vector<std::string>& own = remembered_command_line();
  std::vector<std::string> words;
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] == "--ranks") {
      ++i;  // its value
    } else if (own[i].rfind("--ranks=", 0) != 0) {
      words.push_back(own[i]);
    }
  }
  words.emplace_back("--quiet");
  if (threads_ > 0) {
    words.emplace_back("--threads");
    words.push_back(std::to_string(threads_));
  }
  for (const auto& [key, value] : keys_of(rank, ranks_, folder_->path())) {
    words.emplace_back("--set");
    words.push_back(key + "=" + value);
  }
  return words;
}

void LocalRanks::start(bool threads_given) {
  if (ranks_ > 1 && !threads_given) {
    Outcome outcome;
    const String text(cs_build_info(outcome));
    outcome.check();
    threads_ =
        std::max(1, Json::parse(text.get())["threads"].get<int>() / static_cast<int>(ranks_));
    cs_set_threads(threads_, outcome);
    outcome.check();
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  int failed = 0;
  for (int64_t rank = 1; rank < ranks_ && failed == 0; ++rank) {
    std::vector<std::string> words = command_of(rank);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t process = 0;
    failed =
        ::posix_spawn(&process, "/proc/self/exe", &files, &attributes, arguments.data(), environ);
    if (failed == 0) processes_.push_back(process);
  }
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    throw Failure(kExitFailure, cs_status_name(CS_ERROR_DISTRIBUTED),
                  std::string("a rank cannot be started: ") + std::strerror(failed));
}

LocalRanks::~LocalRanks() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (const pid_t process : processes_) {
    int status = 0;
    while (::waitpid(process, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > until) {
        ::kill(process, SIGKILL);
        ::waitpid(process, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

}  // namespace contrastive::cli
