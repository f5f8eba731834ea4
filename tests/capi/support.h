/* Helpers of the suites: cmocka's headers in the required order, and checks of how a call of the C
 * API failed. Suites include only contrastive.h. */
#ifndef CONTRASTIVE_TESTS_CAPI_SUPPORT_H
#define CONTRASTIVE_TESTS_CAPI_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <contrastive/contrastive.h>

/* Fails the test unless `result` (of `size` bytes) is how a call reports `status`: a command and a
 * count return it, a constructor returns NULL. The error must have that status, and `part` in its
 * message. Frees the error and sets it to NULL for the next call. */
static inline void check_error(intptr_t result, size_t size, cs_error **error, cs_status status,
                               const char *part, const char *file, int line) {
  if (result != status && (result != 0 || size == sizeof status)) {
    print_error("the call returned %lld; %s with '%s' was expected\n", (long long)result,
                cs_status_name(status), part);
    _fail(file, line);
  }
  if (part[0] == '\0') _fail(file, line); /* it would be in every message */
  if (*error == NULL) {
    print_error("no error was set; %s with '%s' was expected\n", cs_status_name(status), part);
    _fail(file, line);
  }
  if (cs_error_status(*error) != status || strstr(cs_error_message(*error), part) == NULL) {
    print_error("%s: '%s'; %s with '%s' was expected\n", cs_status_name(cs_error_status(*error)),
                cs_error_message(*error), cs_status_name(status), part);
    _fail(file, line);
  }
  cs_error_free(*error);
  *error = NULL;
}

/* A call, or what it returned, that must have failed in this way. `error` is the `cs_error *`
 * variable that was passed to the call. */
#define expect_error(call, status, part) \
  check_error((intptr_t)(call), sizeof(call), &error, (status), (part), __FILE__, __LINE__)

/* A command that must succeed and not set `error`; otherwise its message is shown. */
#define expect_ok(call)                                              \
  do {                                                               \
    const cs_status status_of_call = (call);                         \
    if (error != NULL) print_error("%s\n", cs_error_message(error)); \
    assert_int_equal(status_of_call, CS_OK);                         \
    assert_null(error);                                              \
  } while (0)

/* Removes a folder and everything in it. */
static inline void remove_tree(const char *folder) {
  char command[512];
#ifdef _WIN32
  snprintf(command, sizeof command, "rmdir /s /q \"%s\"", folder);
#else
  snprintf(command, sizeof command, "rm -r '%s'", folder);
#endif
  assert_int_equal(system(command), 0);
}

/* Every test of a suite must end with as many live handles as it began with, even if calls fail. */
static int64_t handles_at_start;
static int count_before(void **state) {
  (void)state;
  handles_at_start = cs_live_handles();
  return 0;
}
static int count_after(void **state) {
  (void)state;
  if (cs_live_handles() == handles_at_start) return 0;
  print_error("%lld handles leaked\n", (long long)(cs_live_handles() - handles_at_start));
  return -1;
}
#define leak_checked(test) cmocka_unit_test_setup_teardown(test, count_before, count_after)

#endif
