// A static object's destructor would run when the process exits, while threads of the host's may
// still be inside the library. Compilers register each by
// __cxa_atexit: inside the library that name means this function, and none is ever called. The
// library is never unloaded (-z nodelete), so nothing is lost.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(
    void (*)(void*), void*, void*);  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c)

int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c)
