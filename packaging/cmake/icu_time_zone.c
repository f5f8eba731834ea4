// Symbols that Debian's static ICU needs for linking but the library never uses. See icu.cmake.

// ICU's time zones. Debian compiles its static ICU for programs, so in a shared library it can
// only reach symbols of that library, not those of libc.
__attribute__((visibility("hidden"))) long __timezone = 0;
__attribute__((visibility("hidden"))) char *tzname[2] = {0, 0};
