/* When and how the training plugin (libcontrastive-torch) is loaded. Each test runs in a child
 * process, which has not loaded it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum { kThreads = 8, kSeconds = 120 };

/* Runs `body` in a child. Returns its exit code, or 128 + the signal that ended it. */
static int in_child(int (*body)(void)) {
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Whether this process has mapped a file of this name. */
static int has_mapped(const char *name) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    found |= strstr(line, name) != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

static int embed(void) {
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, NULL);
  const char *texts[] = {"a cat sat on the mat", "two birds fly"};
  float vectors[2 * 32], scores[4];
  if (model == NULL || cs_encode(model, texts, NULL, 2, NULL, vectors, 2 * 32, NULL) != CS_OK)
    return 1;
  if (cs_similarity(vectors, 2, vectors, 2, 32, CS_METRIC_COSINE, scores, 4, NULL) != CS_OK)
    return 2;
  char *keys = cs_config_describe("geometry", NULL);
  if (keys == NULL) return 3;
  cs_string_free(keys);
  cs_model_free(model);
  if (has_mapped("libtorch") || has_mapped("libgomp") || has_mapped("libicu")) return 4;
  char *trained = cs_config_describe("train", NULL);
  cs_string_free(trained);
  return trained != NULL && has_mapped("libtorch_cpu.so") && has_mapped("libcontrastive-torch.so")
             ? 0
             : 5;
}

static void embedding_loads_no_libtorch(void **state) {
  (void)state;
  assert_int_equal(in_child(embed), 0);
}

static pthread_barrier_t all_there;

static void *first_call(void *kind) {
  cs_error *error = NULL;
  pthread_barrier_wait(&all_there);
  char *text = (intptr_t)kind % 2 == 0 ? cs_config_describe("mnrl", &error) : cs_build_info(&error);
  const intptr_t good =
      text != NULL && error == NULL &&
      ((intptr_t)kind % 2 == 0 || strstr(text, "\"libtorch_reason\":\"\"") != NULL);
  cs_string_free(text);
  cs_error_free(error);
  return (void *)good;
}

static int many_first_calls(void) {
  pthread_t threads[kThreads];
  if (pthread_barrier_init(&all_there, NULL, kThreads) != 0) return 1;
  for (intptr_t i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, first_call, (void *)i) != 0) return 2;
  }
  int good = 0;
  for (int i = 0; i < kThreads; ++i) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    good += result != NULL;
  }
  return good == kThreads ? 0 : 3;
}

static void first_calls_of_many_threads_load_once(void **state) {
  (void)state;
  assert_int_equal(in_child(many_first_calls), 0);
}

static int name_libtorch(void) {
  cs_error *error = NULL;
  if (cs_set_libtorch("/no/such/folder", NULL) != CS_OK) return 1;
  if (cs_config_describe("train", &error) != NULL || cs_error_status(error) != CS_ERROR_UNSUPPORTED)
    return 2;
  if (strstr(cs_error_message(error),
             "/no/such/folder (cs_set_libtorch) is not a LibTorch that can be loaded") == NULL)
    return 3;
  cs_error_free(error);
  error = NULL;
  if (cs_set_libtorch(NULL, NULL) != CS_OK)
    return 4; /* a failure is not remembered: the installed plugin is found now */
  char *keys = cs_config_describe("train", &error);
  if (keys == NULL) return 5;
  cs_string_free(keys);
  if (cs_set_libtorch("/no/such/folder", &error) != CS_ERROR_STATE ||
      strstr(cs_error_message(error), "LibTorch is loaded from ") == NULL)
    return 6;
  cs_error_free(error);
  char *info = cs_build_info(NULL),
       *path = info == NULL ? NULL : strstr(info, "\"libtorch_path\":\"");
  if (path == NULL) return 7;
  path += strlen("\"libtorch_path\":\"");
  *strchr(path, '"') = '\0';
  if (cs_set_libtorch(path, NULL) != CS_OK) return 8; /* the one that is loaded */
  cs_string_free(info);
  return cs_set_libtorch("", NULL) == CS_OK ? 0 : 9;
}

static void libtorch_can_be_named_until_it_is_loaded(void **state) {
  (void)state;
  assert_int_equal(in_child(name_libtorch), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(embedding_loads_no_libtorch),
                                     leak_checked(first_calls_of_many_threads_load_once),
                                     leak_checked(libtorch_can_be_named_until_it_is_loaded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
