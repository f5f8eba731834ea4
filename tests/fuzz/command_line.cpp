// The command line program: its arguments, and the files that only it reads (.npy).
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "capi/program/failure.h"
#include "capi/program/npy.h"
#include "capi/program/signals.h"
#include "capi/program/suggest.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"
#include "tests/fuzz/target.h"

// The program's main function, called in this process with our streams and signals.
#define main contrastive_program
#define settle_standard_streams() static_cast<void>(0)
#define watch_signals() static_cast<void>(0)
#define _Exit(code) return code
int contrastive_program(int argc, char** argv);
#include "capi/program/main.cpp"  // NOLINT
#undef main
#undef settle_standard_streams
#undef watch_signals
#undef _Exit

namespace contrastive::fuzz {
namespace {

// Runs `read`. A Failure must blame the arguments or the file.
template <class Read>
bool taken(Read&& read) {
  try {
    read();
    return true;
  } catch (const cli::Failure& failure) {
    expect(failure.exit_code == cli::kExitUsage || failure.exit_code == cli::kExitData,
           "exit code of a failure: " + failure.message);
    expect(!failure.message.empty(), "a failure without a message");
    return false;
  } catch (const std::exception& problem) {
    violated(std::string("not a Failure: ") + problem.what());
  }
}

// Discards standard output and error, and makes `folder` the current folder, for its lifetime.
class Elsewhere {
 public:
  explicit Elsewhere(const std::string& folder)
      : folder_(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (::chdir(folder.c_str()) != 0) violated("cannot enter " + folder);
    static const bool loud = std::getenv("CONTRASTIVE_FUZZ_LOUD") != nullptr;
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nowhere, 0);
    if (!loud) {
      std::fflush(stdout);
      out_ = ::fcntl(1, F_DUPFD_CLOEXEC, 10);
      error_ = ::fcntl(2, F_DUPFD_CLOEXEC, 10);
      ::dup2(nowhere, 1);
      ::dup2(nowhere, 2);
    }
    ::close(nowhere);
  }
  ~Elsewhere() {
    std::fflush(stdout);
    std::clearerr(stdin);
    if (out_ >= 0) ::dup2(out_, 1), ::close(out_);
    if (error_ >= 0) ::dup2(error_, 2), ::close(error_);
    if (::fchdir(folder_) != 0) violated("the previous folder is gone");
    ::close(folder_);
  }

 private:
  int folder_, out_ = -1, error_ = -1;
};

// Skips arguments that would write outside of the folder or take minutes.
bool harmless(const std::vector<std::string>& arguments) {
  bool long_verb = false, asked = false;
  for (const std::string& argument : arguments) {
    const bool outside =
        argument.find("..") != std::string::npos || argument.find('~') != std::string::npos ||
        argument.find("=/") != std::string::npos || (!argument.empty() && argument[0] == '/') ||
        argument.find("o/") != std::string::npos;
    if (outside) return false;
    long_verb = long_verb || argument == "bench" || argument == "create" || argument == "serve";
    asked = asked || argument == "--help" || argument == "-n" || argument == "--dry-run";
  }
  return !long_verb || asked;
}

}  // namespace

FUZZ_TARGET(npy) {
  const MemoryFolder folder;
  const std::string path = folder.write("a.npy", bytes);
  cli::Matrix matrix;
  if (!taken([&] { matrix = cli::read_npy(path); })) return;
  expect(matrix.rows >= 0 && matrix.columns >= 0 &&
             static_cast<int64_t>(matrix.values.size()) == matrix.rows * matrix.columns,
         "a matrix of another size");
  std::string again = cli::npy_header(matrix.rows, matrix.columns);
  again.append(reinterpret_cast<const char*>(matrix.values.data()), 4 * matrix.values.size());
  const cli::Matrix read = cli::read_npy(folder.write("again.npy", again));
  expect(read.rows == matrix.rows && read.columns == matrix.columns &&
             (matrix.values.empty() ||
              std::memcmp(read.values.data(), matrix.values.data(), 4 * matrix.values.size()) == 0),
         "a matrix differs after it was written and read again");
}

// One argument per line. The files that arguments may name are in the current folder.
FUZZ_TARGET(arguments) {
  std::vector<std::string> arguments;
  for (size_t begin = 0; begin <= bytes.size() && arguments.size() < 24;) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    arguments.emplace_back(bytes.substr(begin, end - begin));
    if (arguments.back().find('\0') != std::string::npos) return;  // no argument can contain a NUL
    begin = end + 1;
  }
  if (!harmless(arguments)) return;
  static const std::string config = fixture("models/bert_st/config.json");
  const MemoryFolder folder;
  folder.write("a.txt", "one text\nanother one\na third\n");
  folder.write("a.tsv", "one text\tanother one\na third\ta fourth\n");
  folder.write("s.tsv", "1.5\tone text\tanother one\n2.5\ta third\ta fourth\n4\ta\tb\n");
  folder.write("a.jsonl", "{\"text\": \"one\"}\n{\"text\": \"two\"}\n");
  folder.write("a.json", "{\"method\": \"simcse\", \"max_steps\": 1, \"batch_size\": 2}\n");
  std::filesystem::create_directory_symlink(std::string(CONTRASTIVE_FIXTURES) + "/models/bert_st",
                                            folder / "model");
  std::vector<char*> argv;
  static char name[] = "contrastive";
  argv.push_back(name);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  const int count = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  int code = 0;
  {
    const Elsewhere elsewhere(folder.path());
    code = contrastive_program(count, argv.data());
  }
  cs_set_log_sink(nullptr, CS_LOG_WARNING, nullptr,
                  nullptr);  // resets what a verb set for the whole process
  cs_set_threads(1, nullptr);
  expect(code >= 0 && code <= cli::kExitCheck && code != cli::kExitFailure,
         cat("exit code ", code));
  expect(fixture("models/bert_st/config.json") == config, "a fixture was written to");
}

}  // namespace contrastive::fuzz
