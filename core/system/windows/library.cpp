#include "core/system/library.h"

#include <cerrno>

#include "core/system/file.h"
#include "core/system/windows/native.h"

namespace contrastive::system {
namespace {

std::string path_of(HMODULE library) {
  std::wstring path(MAX_PATH, L'\0');
  DWORD length = 0;
  while ((length = ::GetModuleFileNameW(library, path.data(), static_cast<DWORD>(path.size()))) ==
         path.size())
    path.resize(2 * path.size());
  path.resize(length);
  return portable_path(path);
}

}  // namespace

void* open_library(const char* name, Bind) noexcept {
  try {
    const HMODULE library = ::LoadLibraryW(to_wide(name).c_str());
    if (library == nullptr) set_errno();
    return library;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return nullptr;
  }
}

void* find_symbol(const char* library, const char* name) noexcept {
  const HMODULE loaded = ::GetModuleHandleA(library);
  return loaded == nullptr ? nullptr : reinterpret_cast<void*>(::GetProcAddress(loaded, name));
}

void close_library(void* library) noexcept { ::FreeLibrary(static_cast<HMODULE>(library)); }

std::string library_error() { return error_text(errno); }

std::string library_file(const std::string& name, const std::string&) { return name + ".dll"; }

std::string problem_of_library(const std::string&) { return ""; }

LoadedLibrary loaded_library(const char* name) {
  const HMODULE library = ::GetModuleHandleW(to_wide(name).c_str());
  if (library == nullptr) return {};
  return {path_of(library), library};
}

LoadedLibrary library_of(const void* address) {
  HMODULE library = nullptr;
  constexpr DWORD kHow =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (::GetModuleHandleExW(kHow, static_cast<const wchar_t*>(address), &library) == 0) return {};
  return {path_of(library), library};
}

}  // namespace contrastive::system
