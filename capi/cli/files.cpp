#include "capi/cli/files.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>

#include "capi/cli/failure.h"
#include "capi/cli/signals.h"
#include "capi/cli/terminal.h"

namespace contrastive::cli {

OutputFile::OutputFile(const std::string& path, bool force, const std::string& input) : path_(path) {
  if (path_ == "-") return;
  if (!input.empty() && input != "-" && same_file(path_, input)) {
    throw usage_failure("'" + path_ + "' is the input: the output needs a file of its own");
  }
  struct stat info {};
  const bool there = stat(path_.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode)) throw usage_failure("'" + path_ + "' is a folder: a file is needed");
  // What is no regular file (/dev/stdout, /dev/null, a FIFO) is written in place: there is nothing to lose, and no name to give.
  const bool in_place = there && !S_ISREG(info.st_mode);
  if (there && !in_place && !force) throw usage_failure("'" + path_ + "' exists", "use --force to replace it");
  // In a container every process may have the same number: what a killed one left behind must not stand in the way of the next.
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  temporary_ = in_place ? "" : path_ + ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(std::chrono::nanoseconds(now).count());
  const std::string& target = in_place ? path_ : temporary_;
  file_ = std::fopen(target.c_str(), in_place ? "wb" : "wbx");
  if (file_ == nullptr) throw system_failure("create", path_, errno);
  set_unfinished_file(temporary_);
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  set_unfinished_file("");
}

void OutputFile::write(const void* data, size_t bytes) {
  if (path_ == "-") {
    print(std::string(static_cast<const char*>(data), bytes));
  } else if (std::fwrite(data, 1, bytes, file_) != bytes) {
    throw system_failure("write", path_, errno);
  }
}

void OutputFile::overwrite(int64_t offset, const void* data, size_t bytes) {
  if (std::fseek(file_, static_cast<long>(offset), SEEK_SET) != 0) throw system_failure("write", path_, errno);
  write(data, bytes);
  if (std::fseek(file_, 0, SEEK_END) != 0) throw system_failure("write", path_, errno);
}

void OutputFile::commit() {
  if (path_ == "-") {
    flush_stdout();
    return;
  }
  if (std::fflush(file_) != 0 || (!temporary_.empty() && fsync(fileno(file_)) != 0)) throw system_failure("write", path_, errno);
  if (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0) throw system_failure("create", path_, errno);
  temporary_.clear();
  const int closed = std::fclose(file_);
  file_ = nullptr;
  set_unfinished_file("");
  if (closed != 0) throw system_failure("write", path_, errno);
}

void write_text_file(const std::string& path, const std::string& text) {
  OutputFile file(path, true, "");
  file.write(text.data(), text.size());
  file.commit();
}

std::string read_text_file(const std::string& path, size_t limit) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) throw system_failure("read", path, errno);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> owner(file, std::fclose);
  std::string text;
  char block[1 << 16];
  for (size_t got = 0; (got = std::fread(block, 1, sizeof block, file)) > 0;) {
    text.append(block, got);
    if (text.size() > limit) throw Failure(kExitData, "LIMIT", "the file is larger than " + std::to_string(limit) + " bytes").at(path);
  }
  if (std::ferror(file) != 0) throw system_failure("read", path, errno);
  return text;
}

void check_model_place(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    std::string parent = path;
    do {
      const size_t slash = parent.find_last_not_of('/') == std::string::npos ? std::string::npos : parent.rfind('/', parent.find_last_not_of('/'));
      parent = slash == std::string::npos ? "." : parent.substr(0, std::max<size_t>(slash, 1));
    } while (parent != "." && parent != "/" && !exists(parent));
    if (access(parent.c_str(), W_OK | X_OK) != 0) throw system_failure("create a folder in", parent, errno);
    return;
  }
  if (!S_ISDIR(info.st_mode)) throw usage_failure("'" + path + "' is a file: the result is a folder", "choose another name");
  if (exists(path + "/config.json") || exists(path + "/modules.json")) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (folder == nullptr) throw system_failure("read", path, errno);
  while (const dirent* item = readdir(folder.get())) {
    const std::string name = item->d_name;
    if (name == "." || name == "..") continue;
    throw usage_failure("'" + path + "' holds '" + name + "' and no model: saving replaces the whole folder", "choose another one");
  }
}

bool exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {}, second {};
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::string extension_of(const std::string& path) {
  const size_t slash = path.rfind('/'), dot = path.rfind('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  std::string extension = path.substr(dot + 1);
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

}  // namespace contrastive::cli
