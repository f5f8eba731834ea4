#include "core/system/process.h"

#include <memory>

#include "core/system/windows/native.h"

namespace contrastive::system {

int64_t process_number() noexcept { return ::GetCurrentProcessId(); }

bool is_running(int64_t process) noexcept {
  const HANDLE found = ::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process));
  if (found == nullptr) return ::GetLastError() != ERROR_INVALID_PARAMETER;
  const bool running = ::WaitForSingleObject(found, 0) == WAIT_TIMEOUT;
  ::CloseHandle(found);
  return running;
}

std::string temporary_folder() {
  wchar_t folder[MAX_PATH + 1];
  std::wstring_view found(folder, ::GetTempPathW(MAX_PATH + 1, folder));
  while (!found.empty() && found.back() == L'\\') found.remove_suffix(1);
  return found.empty() ? "." : to_utf8(found);
}

std::string trusted_variable(const char* name) {
  const std::wstring wide = to_wide(name);
  std::wstring value(::GetEnvironmentVariableW(wide.c_str(), nullptr, 0), L'\0');
  value.resize(
      ::GetEnvironmentVariableW(wide.c_str(), value.data(), static_cast<DWORD>(value.size())));
  return to_utf8(value);
}

}  // namespace contrastive::system
