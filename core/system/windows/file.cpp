#include "core/system/file.h"

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>

#include "core/system/path.h"
#include "core/system/windows/native.h"

#include <winternl.h>  // after <windows.h>

namespace contrastive::system {
namespace {

constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr size_t kMostBytes = size_t{1} << 30;

HANDLE handle_of(int file) noexcept { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

struct Closing {
  void operator()(HANDLE handle) const noexcept { ::CloseHandle(handle); }
};
using Handle = std::unique_ptr<void, Closing>;

std::wstring final_path(HANDLE handle) {
  std::wstring path(::GetFinalPathNameByHandleW(handle, nullptr, 0, VOLUME_NAME_DOS), L'\0');
  path.resize(::GetFinalPathNameByHandleW(handle, path.data(), static_cast<DWORD>(path.size()),
                                          VOLUME_NAME_DOS));
  if (path.empty()) set_errno();
  return path;
}

Handle open_native(const std::wstring& path, DWORD access, DWORD creation, DWORD flags) noexcept {
  if (path.empty()) return nullptr;
  const HANDLE handle =
      ::CreateFileW(path.c_str(), access, kShared, nullptr, creation, flags, nullptr);
  if (handle != INVALID_HANDLE_VALUE) return Handle(handle);
  set_errno();
  return nullptr;
}

// A name in an open folder as the kernel takes it: without "." and empty names, L"" for the folder
// itself. False, and errno, if it leaves the folder or has a name that Windows does not allow.
bool native_name(std::string_view path, std::wstring& name) {
  for (size_t begin = 0, end = 0; begin < path.size(); begin = end + 1) {
    end = begin;
    while (end < path.size() && !is_separator(path[end])) ++end;
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == ".") continue;
    if (!is_usable_name(part)) {  // ".." too
      set_errno(ERROR_INVALID_NAME);
      return false;
    }
    if (!name.empty()) name += L'\\';
    name += to_wide(part);
  }
  return true;
}

// Opens a name in an open folder, wherever that folder is now. Only the kernel's own function can.
Handle open_below(const Place& place, DWORD access, DWORD creation, DWORD flags) noexcept {
  try {
    std::wstring name;
    if (!native_name(place.name, name)) return nullptr;
    UNICODE_STRING text{};
    text.Buffer = name.data();
    text.Length = text.MaximumLength = static_cast<USHORT>(name.size() * sizeof(wchar_t));
    if (text.Length / sizeof(wchar_t) != name.size()) {
      set_errno(ERROR_FILENAME_EXCED_RANGE);
      return nullptr;
    }
    OBJECT_ATTRIBUTES object{};
    object.Length = sizeof(object);
    object.RootDirectory = handle_of(place.folder);
    object.ObjectName = &text;
    object.Attributes = OBJ_CASE_INSENSITIVE;
    const ULONG how = creation == CREATE_NEW    ? FILE_CREATE
                      : creation == OPEN_ALWAYS ? FILE_OPEN_IF
                                                : FILE_OPEN;
    ULONG options = FILE_SYNCHRONOUS_IO_NONALERT;
    if ((flags & FILE_FLAG_OPEN_REPARSE_POINT) != 0) options |= FILE_OPEN_REPARSE_POINT;
    if ((flags & FILE_FLAG_BACKUP_SEMANTICS) != 0) options |= FILE_OPEN_FOR_BACKUP_INTENT;
    IO_STATUS_BLOCK done{};
    HANDLE handle = nullptr;
    const NTSTATUS status =
        ::NtCreateFile(&handle, access | SYNCHRONIZE | FILE_READ_ATTRIBUTES, &object, &done,
                       nullptr, FILE_ATTRIBUTE_NORMAL, kShared, how, options, nullptr, 0);
    if (status >= 0) return Handle(handle);
    set_errno(::RtlNtStatusToDosError(status));
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  }
  return nullptr;
}

Handle open_at(const Place& place, DWORD access, DWORD creation, DWORD flags) noexcept {
  if (place.folder != kWorkingFolder) return open_below(place, access, creation, flags);
  return open_native(native_path(place.name), access, creation, flags);
}

// To look at, to rename or to delete it: a file, a folder, or a link itself.
DWORD entry_flags(Links links) noexcept {
  const DWORD keep = links == Links::kKeep ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  return FILE_FLAG_BACKUP_SEMANTICS | keep;
}
Handle open_entry(const std::wstring& path, DWORD access, Links links) noexcept {
  return open_native(path, access, OPEN_EXISTING, entry_flags(links));
}

int to_descriptor(Handle handle) noexcept {
  if (handle == nullptr) return -1;
  const int file = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle.get()), _O_BINARY);
  if (file >= 0) (void)handle.release();
  return file;
}

bool is_link(HANDLE handle, DWORD attributes) noexcept {
  FILE_ATTRIBUTE_TAG_INFO tag{};
  return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         ::GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof(tag)) != 0 &&
         (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK || tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

bool fill(HANDLE handle, FileInfo& info) noexcept {
  switch (::GetFileType(handle)) {
    case FILE_TYPE_CHAR: info.kind = Kind::kCharacterDevice; return true;
    case FILE_TYPE_PIPE: info.kind = Kind::kFifo; return true;
    default: break;
  }
  BY_HANDLE_FILE_INFORMATION found{};
  if (::GetFileInformationByHandle(handle, &found) == 0) {
    set_errno();
    return false;
  }
  const bool folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  info.kind = is_link(handle, found.dwFileAttributes) ? Kind::kLink
              : folder                                ? Kind::kFolder
                                                      : Kind::kFile;
  info.size = static_cast<int64_t>(uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow);
  const bool read_only = !folder && (found.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0;
  info.permissions = read_only ? 0555 : 0777;
  info.volume = found.dwVolumeSerialNumber;
  info.number = uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow;
  FILE_ID_INFO id{};
  if (::GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof(id)) != 0) {
    static_assert(sizeof(id.FileId) == 2 * sizeof(uint64_t));
    uint64_t parts[2];
    std::copy_n(reinterpret_cast<const char*>(&id.FileId), sizeof(parts),
                reinterpret_cast<char*>(parts));
    info.volume = id.VolumeSerialNumber;
    info.number = parts[0];
    info.number_high = parts[1];
  }
  return true;
}

OVERLAPPED position(int64_t offset) noexcept {
  OVERLAPPED where{};
  where.Offset = static_cast<DWORD>(offset);
  where.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return where;
}

int64_t write_bytes(int file, const void* data, size_t bytes, OVERLAPPED* where) noexcept {
  DWORD done = 0;
  if (::WriteFile(handle_of(file), data, static_cast<DWORD>(std::min(bytes, kMostBytes)), &done,
                  where) != 0)
    return done;
  set_errno();
  return -1;
}

// Deletes a file, an empty folder or a link. With POSIX's rules the name goes at once, also while
// others have the file open; older systems and file systems keep it until they close it.
bool remove_entry(const std::wstring& path) noexcept {
  const Handle entry =
      open_entry(path, DELETE | FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES, Links::kKeep);
  if (entry == nullptr) return false;
  FILE_DISPOSITION_INFO_EX posix{FILE_DISPOSITION_FLAG_DELETE |
                                 FILE_DISPOSITION_FLAG_POSIX_SEMANTICS |
                                 FILE_DISPOSITION_FLAG_IGNORE_READONLY_ATTRIBUTE};
  if (::SetFileInformationByHandle(entry.get(), FileDispositionInfoEx, &posix, sizeof(posix)) != 0)
    return true;
  if (::GetLastError() == ERROR_DIR_NOT_EMPTY) {
    set_errno();
    return false;
  }
  FILE_BASIC_INFO basic{};
  if (::GetFileInformationByHandleEx(entry.get(), FileBasicInfo, &basic, sizeof(basic)) != 0 &&
      (basic.FileAttributes & FILE_ATTRIBUTE_READONLY) != 0) {
    basic.FileAttributes &= ~DWORD{FILE_ATTRIBUTE_READONLY};
    ::SetFileInformationByHandle(entry.get(), FileBasicInfo, &basic, sizeof(basic));
  }
  FILE_DISPOSITION_INFO plain{TRUE};
  if (::SetFileInformationByHandle(entry.get(), FileDispositionInfo, &plain, sizeof(plain)) != 0)
    return true;
  set_errno();
  return false;
}

void remove_below(const std::wstring& path) {
  const DWORD attributes = ::GetFileAttributesW(path.c_str());
  const bool folder = attributes != INVALID_FILE_ATTRIBUTES &&
                      (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
                      (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0;
  if (folder) {
    WIN32_FIND_DATAW item{};
    const HANDLE items = ::FindFirstFileW((path + L"\\*").c_str(), &item);
    if (items != INVALID_HANDLE_VALUE) {
      do {
        const std::wstring_view name = item.cFileName;
        if (name != L"." && name != L"..") remove_below(path + L"\\" + item.cFileName);
      } while (::FindNextFileW(items, &item) != 0);
      ::FindClose(items);
    }
  }
  remove_entry(path);
}

bool rename_with_posix_rules(const std::wstring& from, const std::wstring& to) {
  const Handle entry = open_entry(from, DELETE | SYNCHRONIZE, Links::kKeep);
  if (entry == nullptr) return false;
  const size_t size = sizeof(FILE_RENAME_INFO) + to.size() * sizeof(wchar_t);
  const std::unique_ptr<char[]> memory(new char[size]());
  auto* const info = reinterpret_cast<FILE_RENAME_INFO*>(memory.get());
  constexpr DWORD kReplace = 1, kPosix = 2;  // FILE_RENAME_FLAG_*
  *reinterpret_cast<DWORD*>(info) = kReplace | kPosix;
  info->FileNameLength = static_cast<DWORD>(to.size() * sizeof(wchar_t));
  std::copy(to.begin(), to.end(), info->FileName);
  constexpr auto kFileRenameInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  return ::SetFileInformationByHandle(entry.get(), kFileRenameInfoEx, info,
                                      static_cast<DWORD>(size)) != 0;
}

Handle open_listed(const Place& place) noexcept {
  Handle folder = open_at(place, FILE_LIST_DIRECTORY | FILE_TRAVERSE | SYNCHRONIZE, OPEN_EXISTING,
                          FILE_FLAG_BACKUP_SEMANTICS);
  FileInfo info;
  if (folder == nullptr || !fill(folder.get(), info)) return nullptr;
  if (info.kind == Kind::kFolder) return folder;
  errno = ENOTDIR;
  return nullptr;
}

// A folder is listed by its handle, several names at a time.
struct Listing {
  Handle folder;
  bool has_begun = false;
  const FILE_ID_BOTH_DIR_INFO* item = nullptr;  // the last one; null: read more
  alignas(FILE_ID_BOTH_DIR_INFO) char items[1 << 14];
  std::string name;

  // False at the end, with errno 0, and on failure.
  bool advance() noexcept {
    if (item != nullptr && item->NextEntryOffset != 0) {
      item = reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(reinterpret_cast<const char*>(item) +
                                                            item->NextEntryOffset);
      return true;
    }
    const auto kind = has_begun ? FileIdBothDirectoryInfo : FileIdBothDirectoryRestartInfo;
    has_begun = true;
    if (::GetFileInformationByHandleEx(folder.get(), kind, items, sizeof(items)) == 0) {
      item = nullptr;
      const DWORD error = ::GetLastError();
      // The latter for the root of an empty disk.
      if (error == ERROR_NO_MORE_FILES || error == ERROR_FILE_NOT_FOUND) errno = 0;
      else set_errno(error);
      return false;
    }
    item = reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(items);
    return true;
  }
};

}  // namespace

bool is_quota(int) noexcept { return false; }  // ENOSPC (native.cpp)

bool get_info(const Place& place, Links links, FileInfo& info) noexcept {
  const Handle entry = open_at(place, FILE_READ_ATTRIBUTES, OPEN_EXISTING, entry_flags(links));
  return entry != nullptr && fill(entry.get(), info);
}

bool get_info(int file, FileInfo& info) noexcept { return fill(handle_of(file), info); }

int open_file(const Place& place, unsigned mode) noexcept {
  DWORD access = 0;
  if ((mode & kRead) != 0) access |= GENERIC_READ;
  if ((mode & kAppend) != 0) access |= FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE;
  else if ((mode & kWrite) != 0) access |= GENERIC_WRITE;
  const DWORD creation = (mode & kNew) != 0      ? CREATE_NEW
                         : (mode & kCreate) != 0 ? OPEN_ALWAYS
                                                 : OPEN_EXISTING;
  DWORD flags = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS;
  if ((mode & kNoLink) != 0) flags |= FILE_FLAG_OPEN_REPARSE_POINT;
  Handle file = open_at(place, access, creation, flags);
  FileInfo info;
  if ((mode & kNoLink) != 0 && file != nullptr && fill(file.get(), info) &&
      info.kind == Kind::kLink) {
    errno = ELOOP;
    return -1;
  }
  return to_descriptor(std::move(file));
}

int open_folder(const Place& place) noexcept { return to_descriptor(open_listed(place)); }

int open_unnamed_file(const char*) noexcept {
  errno = EOPNOTSUPP;
  return -1;
}

bool close_file(int file) noexcept { return ::_close(file) == 0; }

int duplicate(int file) noexcept {
  HANDLE copy = nullptr;
  const HANDLE process = ::GetCurrentProcess();
  if (::DuplicateHandle(process, handle_of(file), process, &copy, 0, FALSE,
                        DUPLICATE_SAME_ACCESS) == 0) {
    set_errno();
    return -1;
  }
  return to_descriptor(Handle(copy));
}

int64_t read_at(int file, void* into, size_t bytes, int64_t offset) noexcept {
  OVERLAPPED where = position(offset);
  DWORD done = 0;
  if (::ReadFile(handle_of(file), into, static_cast<DWORD>(std::min(bytes, kMostBytes)), &done,
                 &where) != 0 ||
      ::GetLastError() == ERROR_HANDLE_EOF)
    return done;
  set_errno();
  return -1;
}

int64_t write_on(int file, const void* data, size_t bytes) noexcept {
  return write_bytes(file, data, bytes, nullptr);
}

int64_t write_at(int file, const void* data, size_t bytes, int64_t offset) noexcept {
  OVERLAPPED where = position(offset);
  return write_bytes(file, data, bytes, &where);
}

bool resize(int file, int64_t bytes) noexcept {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = bytes;
  if (::SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof(end)) != 0)
    return true;
  set_errno();
  return false;
}

bool sync(int file) noexcept {
  if (::FlushFileBuffers(handle_of(file)) != 0) return true;
  // A handle without the right to write, as those of folders: their names are in NTFS's journal.
  if (::GetLastError() == ERROR_ACCESS_DENIED) return true;
  set_errno();
  return false;
}

bool open_to_owner(int) noexcept { return true; }

Locked try_lock(int file) noexcept {
  // A byte far behind the end, because a lock keeps others from reading what is locked.
  OVERLAPPED where = position(INT64_MAX - 1);
  if (::LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                   &where) != 0)
    return Locked::kYes;
  const DWORD error = ::GetLastError();
  set_errno(error == ERROR_IO_PENDING ? ERROR_LOCK_VIOLATION : error);
  const bool cannot = error == ERROR_NOT_SUPPORTED || error == ERROR_INVALID_FUNCTION ||
                      error == ERROR_INVALID_PARAMETER || error == ERROR_INVALID_HANDLE ||
                      error == ERROR_ACCESS_DENIED;
  return cannot ? Locked::kCannot : Locked::kNo;
}

std::string real_path(const std::string& path) {
  const Handle entry = open_entry(native_path(path), FILE_READ_ATTRIBUTES, Links::kFollow);
  return entry == nullptr ? "" : portable_path(final_path(entry.get()));
}

std::string link_target(const Place&) { return ""; }

bool make_folder(const char* path, bool) noexcept {
  const std::wstring native = native_path(path);
  if (native.empty()) return false;
  if (::CreateDirectoryW(native.c_str(), nullptr) != 0) return true;
  set_errno();
  return false;
}

bool set_permissions(const char*, unsigned) noexcept { return true; }

bool remove_file(const char* path) noexcept { return remove_entry(native_path(path)); }

bool remove_folder(const char* path) noexcept { return remove_entry(native_path(path)); }

void remove_tree(const char* path) noexcept {
  try {
    const std::wstring native = native_path(path);
    if (!native.empty()) remove_below(native);
  } catch (const std::bad_alloc&) {  // as far as the system allows
  }
}

bool rename(const char* from, const char* to) noexcept {
  try {
    const std::wstring source = native_path(from), target = native_path(to);
    if (source.empty() || target.empty()) return false;
    FileInfo info;
    const bool to_folder =
        get_info({kWorkingFolder, to}, Links::kKeep, info) && info.kind == Kind::kFolder;
    if (to_folder && get_info({kWorkingFolder, from}, Links::kKeep, info) &&
        info.kind != Kind::kFolder) {
      errno = EISDIR;
      return false;
    }
    // An empty folder may be replaced, in two steps.
    if (to_folder && !remove_entry(target)) return false;
    if (rename_with_posix_rules(source, target)) return true;
    if (::MoveFileExW(source.c_str(), target.c_str(),
                      MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0)
      return true;
    set_errno();
    return false;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return false;
  }
}

bool exchange(const char*, const char*) noexcept {
  errno = ENOSYS;
  return false;
}

int64_t free_space(const char* path) noexcept {
  const std::wstring native = native_path(path);
  ULARGE_INTEGER bytes{};
  if (native.empty() || ::GetDiskFreeSpaceExW(native.c_str(), &bytes, nullptr, nullptr) == 0)
    return -1;
  return static_cast<int64_t>(bytes.QuadPart);
}

Entries::Entries(const Place& folder) noexcept {
  Handle handle = open_listed(folder);
  if (handle == nullptr) return;
  auto* const listing = new (std::nothrow) Listing;
  if (listing == nullptr) errno = ENOMEM;
  else listing->folder = std::move(handle);
  folder_ = listing;
}

Entries::~Entries() { delete static_cast<Listing*>(folder_); }

const char* Entries::next() noexcept {
  auto& listing = *static_cast<Listing*>(folder_);
  try {
    do {
      if (!listing.advance()) return nullptr;
      listing.name =
          to_utf8({listing.item->FileName, listing.item->FileNameLength / sizeof(wchar_t)});
    } while (listing.name == "." || listing.name == "..");
    return listing.name.c_str();
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return nullptr;
  }
}

}  // namespace contrastive::system
