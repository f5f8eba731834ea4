/* Memory runs out during a call: the status is NO_MEMORY, and everything is usable afterwards. The
 * test limits the address space of the process. */
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

#include "models.h"
#include "support.h"

enum { kDimension = 32 };

/* Leaves `spare` bytes of address space beyond what is in use. */
static void limit_memory(rlim_t spare) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%ld", &pages), 1);
  fclose(file);
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + spare;
  assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void lift_limit(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limit.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void encoding_survives_a_shortage(void **state) {
  (void)state;
  enum { kMany = 400000 };
  cs_error *error = NULL;
  cs_model *model = load_bert();
  const char *text = "two birds fly over the old house on the mat";
  float before[kDimension], after[kDimension];
  expect_ok(cs_encode(model, &text, NULL, 1, NULL, before, kDimension, &error));
  const char **texts = malloc(kMany * sizeof *texts);
  float *embeddings = malloc((size_t)kMany * kDimension * sizeof *embeddings);
  assert_true(texts != NULL && embeddings != NULL);
  for (int i = 0; i < kMany; ++i) texts[i] = text;
  limit_memory(4 << 20);
  const cs_status status =
      cs_encode(model, texts, NULL, kMany, NULL, embeddings, (int64_t)kMany * kDimension, &error);
  lift_limit();
  expect_error(status, CS_ERROR_NO_MEMORY, "memory");
  expect_ok(cs_encode(model, &text, NULL, 1, NULL, after, kDimension, &error));
  assert_memory_equal(before, after, sizeof before);
  free(embeddings);
  free(texts);
  cs_model_free(model);
}

/* LibTorch's allocator reports missing memory in its own way. */
static void libtorch_running_out_is_no_memory(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  cs_config *config = cs_config_parse("{\"method\": \"clsr\", \"max_steps\": 3, \"batch_size\": 2, "
                                      "\"clsr.hidden\": 65536, \"clsr.dimension\": 4096}",
                                      &error);
  limit_memory(16 << 20); /* not enough room to load LibTorch */
  cs_trainer *trainer = cs_trainer_new(model, NULL, config, &error);
  lift_limit();
  expect_error(trainer, CS_ERROR_NO_MEMORY, "memory");
  cs_string_free(cs_build_info(&error)); /* loads it */
  assert_null(error);
  limit_memory(16 << 20);
  trainer = cs_trainer_new(model, NULL, config, &error);
  lift_limit();
  expect_error(trainer, CS_ERROR_NO_MEMORY, "memory");
  cs_config_free(config);
  cs_model_free(model);
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  puts("skipped: sanitizers need the whole address space");
  return 77;
#else
  const struct CMUnitTest tests[] = {leak_checked(encoding_survives_a_shortage),
                                     leak_checked(libtorch_running_out_is_no_memory)};
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
#endif
}
