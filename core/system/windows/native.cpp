#include "core/system/windows/native.h"

#include <cerrno>
#include <new>

#include "core/system/file.h"
#include "core/system/path.h"

namespace contrastive::system {
namespace {

thread_local DWORD last_error = 0;  // that set errno to `last_errno`
thread_local int last_errno = 0;

int errno_of(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_INVALID_NAME: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT: return EACCES;
    case ERROR_LOCK_VIOLATION: return EWOULDBLOCK;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT: return ENOMEM;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DIR_NOT_EMPTY: return ENOTEMPTY;
    case ERROR_DIRECTORY: return ENOTDIR;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_DISK_QUOTA_EXCEEDED: return ENOSPC;
    case ERROR_FILE_TOO_LARGE: return EFBIG;
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION: return ENOTSUP;
    case ERROR_CANT_RESOLVE_FILENAME: return ELOOP;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA: return EPIPE;
    case ERROR_INVALID_PARAMETER: return EINVAL;
    default: return EIO;
  }
}

}  // namespace

void set_errno(DWORD error) noexcept {
  last_error = error;
  last_errno = errno_of(error);
  errno = last_errno;
}

std::string error_text(int error) {
  wchar_t* text = nullptr;
  constexpr DWORD kHow =
      FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  // In English where the system has it, as the rest of the message is.
  const DWORD english = MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US);
  DWORD length = 0;
  for (const DWORD language : {english, DWORD{0}}) {
    if (error != last_errno || length != 0) break;
    length = ::FormatMessageW(kHow, nullptr, last_error, language,
                              reinterpret_cast<wchar_t*>(&text), 0, nullptr);
  }
  if (length == 0) return ::strerror(error);
  std::wstring_view line(text, length);
  while (!line.empty() && (line.back() <= L' ' || line.back() == L'.')) line.remove_suffix(1);
  std::string result = to_utf8(line);
  ::LocalFree(text);
  return result;
}

std::wstring to_wide(std::string_view text) {
  if (text.empty()) return {};
  const int size = static_cast<int>(text.size());
  std::wstring wide(static_cast<size_t>(
                        ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)),
                    L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), static_cast<int>(wide.size()));
  return wide;
}

std::string to_utf8(std::wstring_view text) {
  if (text.empty()) return {};
  const int size = static_cast<int>(text.size());
  std::string narrow(static_cast<size_t>(::WideCharToMultiByte(CP_UTF8, 0, text.data(), size,
                                                               nullptr, 0, nullptr, nullptr)),
                     '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, narrow.data(),
                        static_cast<int>(narrow.size()), nullptr, nullptr);
  return narrow;
}

std::wstring native_path(std::string_view path) noexcept {
  try {
    if (path.substr(0, 4) == R"(\\?\)") return to_wide(path);
    if (path.empty()) {
      errno = ENOENT;
      return {};
    }
    // "\\?\" would allow names that other programs cannot open again.
    for (size_t begin = root_length(path); begin < path.size();) {
      size_t end = begin;
      while (end < path.size() && !is_separator(path[end])) ++end;
      const std::string_view name = path.substr(begin, end - begin);
      if (!name.empty() && name != "." && name != ".." && !is_usable_name(name)) {
        set_errno(ERROR_INVALID_NAME);
        return {};
      }
      begin = end + 1;
    }
    const std::wstring given = to_wide(path);
    std::wstring whole(::GetFullPathNameW(given.c_str(), 0, nullptr, nullptr), L'\0');
    whole.resize(
        ::GetFullPathNameW(given.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr));
    if (whole.empty()) set_errno();
    if (whole.substr(0, 2) == LR"(\\)") return LR"(\\?\UNC)" + whole.substr(1);
    return whole.empty() ? whole : LR"(\\?\)" + whole;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return {};
  }
}

std::string portable_path(std::wstring_view path) {
  constexpr std::wstring_view kShare = LR"(\\?\UNC\)", kLong = LR"(\\?\)";
  if (path.substr(0, kShare.size()) == kShare) return R"(\\)" + to_utf8(path.substr(kShare.size()));
  return to_utf8(path.substr(0, kLong.size()) == kLong ? path.substr(kLong.size()) : path);
}

}  // namespace contrastive::system
