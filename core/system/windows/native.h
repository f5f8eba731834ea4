// What the files of this folder share: UTF-16 paths, and the system's errors as errno.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <string>
#include <string_view>

namespace contrastive::system {

// Sets errno for an error of the system, and keeps the error for error_text().
void set_errno(DWORD error) noexcept;
inline void set_errno() noexcept { set_errno(::GetLastError()); }

// Throw std::bad_alloc. Bytes that are not UTF-8 become U+FFFD, halves of a surrogate pair too.
std::wstring to_wide(std::string_view text);
std::string to_utf8(std::wstring_view text);

// The absolute form of a UTF-8 path that the system takes at any length: "\\?\C:\a\b". "" and errno
// if it has a name that Windows does not allow, or memory runs out.
std::wstring native_path(std::string_view path) noexcept;
// The reverse: without "\\?\".
std::string portable_path(std::wstring_view path);

}  // namespace contrastive::system
