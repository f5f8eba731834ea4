/* Cancel flags: any number of calls, in any order. */
#include "support.h"

static void cancel_accepts_everything(void **state) {
  (void)state;
  cs_cancel *cancel = cs_cancel_new(NULL);
  assert_non_null(cancel);
  cs_cancel_trigger(cancel);
  cs_cancel_trigger(cancel);
  cs_cancel_free(cancel);
  cs_cancel_trigger(cancel);
  cs_cancel_trigger(NULL);
  cs_cancel_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(cancel_accepts_everything)};
  return cmocka_run_group_tests_name("cancel", tests, NULL, NULL);
}
