#include "tests/faults/memory/trial.h"

#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/faults/memory/scenario.h"

namespace contrastive::faults {
namespace {

constexpr size_t kSlots = 2, kMostText = 2000, kMostOutcome = 1 << 16, kMostFrames = 60;
constexpr unsigned kPatience = 10;                 // seconds
constexpr int kHungCode = 100, kSignalCode = 128;  // what a child exits with

// The result of a child for its parent, in shared memory.
struct Report {
  bool done;
  End end;
  int64_t allocations;
  char text[kMostText];
  int failure_frames;
  void* failure[kMostFrames];
  int64_t numbers;
  float outcome[kMostOutcome];
};

// In a child: the file for its stack if it aborts.
int stack_file = -1;
bool expected_exit = false;

void write_stack() {
  void* frames[100];
  const int count = ::backtrace(frames, 100);
  ::backtrace_symbols_fd(frames, count, stack_file);
}

void on_signal(int signal) {
  disarm();
  write_stack();
  ::_exit(signal == SIGALRM ? kHungCode : kSignalCode + signal);
}

void on_exit_inside() {
  if (expected_exit) return;
  disarm();
  write_stack();
}

void tell(Report& report, End end, const std::string& text) {
  report.end = end;
  std::snprintf(report.text, kMostText, "%s", text.c_str());
}

End end_of(cs_status status) {
  if (status >= 0) return End::kOk;
  if (status == CS_ERROR_NO_MEMORY) return End::kNoMemory;
  return status == CS_ERROR_INTERNAL ? End::kInternal : End::kOther;
}

// Equal to the last digits: after a failure some texts are already embedded, so the rest are
// embedded in other batches.
bool alike(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return std::abs(x - y) <= 1e-5f * (1 + std::abs(y)); });
}

}  // namespace

struct Trials::Slot {
  pid_t pid = 0;
  bool killed = false;
  std::chrono::steady_clock::time_point begun;
  int64_t nth = 0;
  int file = -1;
  std::string folder;
  Report* report = nullptr;
};

std::string new_folder() {
  const bool in_memory = ::access("/dev/shm", W_OK) == 0;
  std::string pattern = (in_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
                        "/contrastive-faults-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return pattern;
}

Trials::Trials(std::string scenario, std::vector<float> expected)
    : scenario_(std::move(scenario)), expected_(std::move(expected)) {
  folder_ = new_folder();
  for (size_t i = 0; i < kSlots; ++i) {
    auto* const slot = new Slot;
    slot->folder = folder_ + "/" + std::to_string(i);
    slot->file = ::memfd_create("stack", MFD_CLOEXEC);
    void* const memory =
        ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (slot->file < 0 || memory == MAP_FAILED)
      throw std::runtime_error("no memory to share with a child");
    slot->report = static_cast<Report*>(memory);
    slots_.push_back(slot);
  }
}

Trials::~Trials() {
  while (any()) wait();
  for (Slot* const slot : slots_) {
    ::munmap(slot->report, sizeof(Report));
    ::close(slot->file);
    delete slot;
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

bool Trials::room() const {
  for (const Slot* slot : slots_) {
    if (slot->pid == 0) return true;
  }
  return false;
}

bool Trials::any() const {
  for (const Slot* slot : slots_) {
    if (slot->pid != 0) return true;
  }
  return false;
}

void Trials::begin(Fault fault, int64_t nth) {
  for (Slot* const slot : slots_) {
    if (slot->pid != 0) continue;
    std::filesystem::remove_all(slot->folder);
    std::filesystem::create_directory(slot->folder);
    slot->nth = nth;
    slot->killed = false;
    slot->begun = std::chrono::steady_clock::now();
    slot->report->done = false;
    slot->report->text[0] = '\0';
    slot->report->numbers = 0;
    slot->report->failure_frames = 0;
    if (::ftruncate(slot->file, 0) != 0 || ::lseek(slot->file, 0, SEEK_SET) != 0)
      throw std::runtime_error("a stack file cannot be emptied");
    std::fflush(nullptr);
    slot->pid = ::fork();
    if (slot->pid < 0) throw std::runtime_error("no process for a trial");
    if (slot->pid == 0) child(*slot, fault, nth);
    return;
  }
  throw std::logic_error("no room for a trial");
}

void Trials::child(Slot& slot, Fault fault, int64_t nth) {
  Report& report = *slot.report;
  stack_file = slot.file;
  ::dup2(slot.file, STDERR_FILENO);  // the output of libraries that end the process
  void* frames[4];
  ::backtrace(frames, 4);  // loads what it needs now
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGALRM})
    ::signal(signal, on_signal);
  ::atexit(on_exit_inside);
  ::alarm(kPatience);
  try {
    const int64_t handles = cs_live_handles();
    const auto scenario = make_scenario(scenario_);
    scenario->prepare(slot.folder);
    cs_error* error = nullptr;
    arm(fault, nth);
    const cs_status status = scenario->run(&error);
    report.allocations = disarm();
    void** failure = nullptr;
    report.failure_frames = std::min(first_failure(&failure), static_cast<int>(kMostFrames));
    std::copy(failure, failure + report.failure_frames, report.failure);
    tell(report, end_of(status),
         status < 0 ? std::string(cs_status_name(status)) + ": " + cs_error_message(error) : "");
    if ((status < 0) != (error != nullptr)) throw Broken("the status and the error do not agree");
    if (status < 0 && cs_error_status(error) != status)
      throw Broken("the error's status is not that of the call");
    cs_error_free(error);
    const std::vector<float> outcome = scenario->outcome(status);
    if (cs_live_handles() != handles)
      throw Broken(std::to_string(cs_live_handles() - handles) + " handles are left");
    if (!expected_.empty() && !alike(outcome, expected_))
      throw Broken("the resulting numbers differ");
    if (outcome.size() > kMostOutcome) throw Broken("more numbers than a trial can report");
    report.numbers = static_cast<int64_t>(outcome.size());
    std::copy(outcome.begin(), outcome.end(), report.outcome);
  } catch (const std::exception& broken) {
    tell(report, End::kBroken,
         std::string(broken.what()) +
             (report.text[0] == '\0' ? "" : " (after " + std::string(report.text) + ")"));
  }
  report.done = true;
  expected_exit = true;
  ::_exit(0);
}

Trial Trials::wait() {
  for (;;) {
    for (Slot* const slot : slots_) {
      int how = 0;
      // Its alarm prints where it hangs, unless it hangs while printing.
      if (slot->pid != 0 && !slot->killed &&
          std::chrono::steady_clock::now() - slot->begun > std::chrono::seconds(2 * kPatience)) {
        slot->killed = ::kill(slot->pid, SIGKILL) == 0;
      }
      if (slot->pid == 0 || ::waitpid(slot->pid, &how, WNOHANG) != slot->pid) continue;
      slot->pid = 0;
      Trial trial;
      trial.nth = slot->nth;
      const Report& report = *slot->report;
      const bool well = WIFEXITED(how) && WEXITSTATUS(how) == 0 && report.done;
      trial.allocations = report.allocations;
      if (well) {
        trial.end = report.end;
        trial.text = report.text;
        const bool wanted =
            trial.end != End::kOk && trial.end != End::kNoMemory && report.failure_frames > 0;
        char** const lines =
            wanted ? ::backtrace_symbols(report.failure, report.failure_frames) : nullptr;
        for (int i = 0; lines != nullptr && i < report.failure_frames; ++i)
          trial.failure += std::string(lines[i]) + "\n";
        std::free(lines);
        trial.outcome.assign(report.outcome, report.outcome + report.numbers);
        return trial;
      }
      struct stat info{};
      if (::fstat(slot->file, &info) == 0) {
        trial.stack.resize(static_cast<size_t>(info.st_size));
        if (::pread(slot->file, trial.stack.data(), trial.stack.size(), 0) < 0) trial.stack.clear();
      }
      const int code = WIFSIGNALED(how) ? kSignalCode + WTERMSIG(how) : WEXITSTATUS(how);
      trial.end = code == kHungCode || slot->killed ? End::kHung : End::kAborted;
      trial.text =
          code > kSignalCode ? ::strsignal(code - kSignalCode) : "exit " + std::to_string(code);
      return trial;
    }
    ::usleep(200);
  }
}

std::string place_of(const std::string& stack) {
  size_t end = 0;
  for (int i = 0; i < 20 && end != std::string::npos; ++i) end = stack.find('\n', end + 1);
  return stack.substr(0, end);
}

std::string foreign_place(const std::string& stack) {
  // The deleter of a graph node collects the nodes after it in a vector. A thread's first access to
  // a thread_local makes glibc register its destructor.
  constexpr const char* kDeleter = "torch::autograd::deleteNode(torch::autograd::Node*)";
  constexpr const char* kLooks[] = {"__cxa_thread_atexit\n  libtorch_cpu.so",
                                    "__cxa_thread_atexit\n  libc10.so"};
  static std::map<std::string, std::string> known;
  const auto [place, is_new] = known.try_emplace(place_of(stack));
  if (!is_new) return place->second;
  const std::string named = with_names(place->first);
  if (named.find(kDeleter) != std::string::npos) place->second = kDeleter;
  for (const char* look : kLooks) {
    if (named.find(look) != std::string::npos) place->second = "a thread_local of LibTorch's";
  }
  return place->second;
}

std::string with_names(const std::string& stack) {
  std::istringstream lines(stack);
  std::ostringstream named;
  for (std::string line; std::getline(lines, line);) {
    const size_t open = line.find('('), plus = line.find('+', open), close = line.find(')', open);
    if (open == std::string::npos || plus == std::string::npos || close == std::string::npos ||
        plus > close) {
      named << line << "\n";
      continue;
    }
    const std::string file = line.substr(0, open), symbol = line.substr(open + 1, plus - open - 1);
    std::string name;
    if (!symbol.empty()) {
      int status = 0;
      char* const plain = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
      name = status == 0 ? plain : symbol;
      std::free(plain);
    } else {
      const std::string command = "addr2line -Cfpe '" + file + "' " +
                                  line.substr(plus + 1, close - plus - 1) + " 2>/dev/null";
      char text[600] = {};
      if (FILE* const pipe = ::popen(command.c_str(), "r")) {
        if (std::fgets(text, sizeof text, pipe) == nullptr) text[0] = '\0';
        ::pclose(pipe);
      }
      name = text;
      name = name.substr(0, std::min(name.find(" at ??"), name.find('\n')));
    }
    named << "  " << std::filesystem::path(file).filename().string() << "  " << name.substr(0, 220)
          << "\n";
  }
  return named.str();
}

}  // namespace contrastive::faults
