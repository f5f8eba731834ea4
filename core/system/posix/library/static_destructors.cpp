// No static object of the library is destroyed at exit, because threads of the host may still be
// inside the library then. Compilers register each destructor by __cxa_atexit(). Inside the library
// that name means this function, which registers nothing. The library is never unloaded
// (-z nodelete), so nothing is lost.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(
    void (*)(void*), void*, void*);  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c)

int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c)
