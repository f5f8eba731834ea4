// No static object of the library is destroyed at exit. Compilers register each destructor by
// atexit(). Inside the library that name means this function, which registers nothing. Windows ends
// all other threads before it calls the destructors of a library, wherever they are, so a
// destructor could wait for ever for a lock that one of them held.
extern "C" __attribute__((visibility("hidden"))) int atexit(
    void (*)());  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c)

int atexit(void (*)()) { return 0; }  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c)
