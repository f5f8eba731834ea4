#include "capi/program/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>

#include "capi/program/failure.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"
#include "core/base/error.h"

namespace contrastive::cli {
OutputFile::OutputFile(const std::string& path, bool force, const std::string& input)
    : path_(path) {
  if (path_ == "-") return;
  if (!input.empty() && input != "-" && is_same_file(path_, input)) {
    throw usage_failure("'" + path_ + "' is the input: choose another file for the output");
  }
  struct stat info{};
  const bool there = stat(path_.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode))
    throw usage_failure("'" + path_ + "' is a folder: a file is needed");
  // Anything but a regular file (/dev/stdout, /dev/null, a FIFO) is written in place: it has no
  // content to lose and cannot be replaced.
  const bool in_place = there && !S_ISREG(info.st_mode);
  if (there && !in_place && !force)
    throw usage_failure("'" + path_ + "' exists", "use --force to replace it");
  told([&] {
    if (!in_place) temporary_ = std::make_unique<TemporaryFile>(path_);
    Descriptor descriptor = in_place
                                ? open_stream_to_write(path_)
                                : Descriptor(fcntl(temporary_->descriptor(), F_DUPFD_CLOEXEC, 0));
    file_ = fdopen(descriptor.get(), "wb");
    if (file_ == nullptr) fail_system(path_, "cannot be opened", errno);
    descriptor.release();
  });
  set_unfinished_file(temporary_ == nullptr ? "" : temporary_->path());
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
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
  if (std::fseek(file_, static_cast<long>(offset), SEEK_SET) != 0)
    throw system_failure("write", path_, errno);
  write(data, bytes);
  if (std::fseek(file_, 0, SEEK_END) != 0) throw system_failure("write", path_, errno);
}

void OutputFile::commit() {
  if (path_ == "-") {
    flush_stdout();
    return;
  }
  if (std::fflush(file_) != 0) throw system_failure("write", path_, errno);
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0) throw system_failure("write", path_, errno);
  if (temporary_ != nullptr) told([this] { temporary_->commit(); });
  set_unfinished_file("");
}

void write_text_file(const std::string& path, const std::string& text) {
  OutputFile file(path, true, "");
  file.write(text.data(), text.size());
  file.commit();
}

std::string read_text_file(const std::string& path, size_t limit) {
  return told([&] { return read_file(path, static_cast<int64_t>(limit)); });
}

Descriptor open_regular_file(const std::string& path) {
  return told([&] { return open_file(path, FileUse::kRead); });
}

Descriptor open_texts(const std::string& path) {
  return told([&] { return open_stream_to_read(path); });
}

Descriptor open_lock(const std::string& path) {
  return told([&] { return open_lock_file(path); });
}

std::unique_ptr<ScratchFolder> make_scratch_folder(const std::string& name) {
  return told([&] { return std::make_unique<ScratchFolder>(temporary_folder() + "/" + name); });
}

void check_model_place(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    std::string parent = path;
    do {
      const size_t slash = parent.find_last_not_of('/') == std::string::npos
                               ? std::string::npos
                               : parent.rfind('/', parent.find_last_not_of('/'));
      parent = slash == std::string::npos ? "." : parent.substr(0, std::max<size_t>(slash, 1));
    } while (parent != "." && parent != "/" && !exists(parent));
    if (access(parent.c_str(), W_OK | X_OK) != 0)
      throw system_failure("create a folder in", parent, errno);
    return;
  }
  if (!S_ISDIR(info.st_mode))
    throw usage_failure("'" + path + "' is a file: the result is a folder", "choose another name");
  if (exists(path + "/config.json") || exists(path + "/modules.json")) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (folder == nullptr) throw system_failure("read", path, errno);
  while (const dirent* item = readdir(folder.get())) {
    const std::string name = item->d_name;
    if (name == "." || name == "..") continue;
    throw usage_failure("'" + path + "' holds '" + name +
                            "' and no model: saving replaces the whole folder",
                        "choose another one");
  }
}

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw system_failure("create", path, error.value());
}

void remove_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) throw system_failure("remove", path, error.value());
}

void move_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw system_failure("create", to, errno);
  told([&] { sync_folder(parent_folder(to)); });
}

bool exists(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0;
}

std::string extension_of(const std::string& path) {
  const size_t slash = path.rfind('/'), dot = path.rfind('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  std::string extension = path.substr(dot + 1);
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

}  // namespace contrastive::cli
