/* Threads that cannot be created, do not survive a fork, or have small stacks. Each test runs in a
 * child process. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, setgroups */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#ifdef __SANITIZE_ADDRESS__
#define ROOM \
  (64 << 10) /* stack bytes beyond what contrastive.h requires, for the sanitizer's own frames */
#else
#define ROOM (16 << 10)
#endif
enum {
  kDimension = 32,
  kTexts = 64,
  kSeconds = 120,
  kForks = 20,
  kLeast = 128 << 10,
  kLeastOfLibtorch = 256 << 10
};

static cs_model *load(void) {
  cs_error *error = NULL;
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  if (model == NULL) {
    fprintf(stderr, "%s\n", cs_error_message(error));
    _exit(10);
  }
  return model;
}

/* A run: its method, the number of texts of an example, and further keys after a comma. */
struct Lesson {
  const char *method;
  int32_t columns;
  const char *keys;
};
static const struct Lesson kLessons[] = {{"mnrl", 2, ""},
                                         {"simcse", 2, ""},
                                         {"clsr", 2, ""},
                                         {"consert", 2, ""},
                                         {"sgopt", 2, ", \"sgopt.head_width\": 24"},
                                         {"clear", 2, ""},
                                         {"scored", 2, ""},
                                         {"triplet", 3, ""},
                                         {"distill", 1,
                                          ", \"distill.teacher\": \"" CONTRASTIVE_FIXTURES
                                          "/models/bert_st\""},
                                         {"tsdae", 1, ""},
                                         {"reranker", 2, ""}};

/* The loss after three updates; NAN, with `error` set, if something failed. With `folder` the run
 * is saved there at its end, and resumed. */
static double train(cs_model *model, const struct Lesson *lesson, const char *folder,
                    cs_error **error) {
  char json[1000];
  snprintf(json, sizeof json,
           "{\"method\": \"%s\", \"batch_size\": 16, \"max_steps\": 3, \"data_threads\": 2%s}",
           lesson->method, lesson->keys);
  cs_config *config = cs_config_parse(json, error);
  cs_dataset *data = config == NULL ? NULL : cs_dataset_new(error);
  for (int i = 0; data != NULL && i < kTexts; ++i) {
    char text[40];
    snprintf(text, sizeof text, "the %d birds fly far", i);
    const char *const texts[3] = {text, "a cat sat on the mat", "no bird"};
    if (cs_dataset_add_texts(data, texts, NULL, lesson->columns, i % 2, error) != CS_OK) break;
  }
  double loss = NAN;
  cs_trainer *trainer = *error == NULL ? cs_trainer_new(model, data, config, error) : NULL;
  int32_t status = CS_OK;
  for (int step = 0; trainer != NULL && step < 3 && status >= 0; ++step)
    status = cs_train_step(trainer, NULL, error);
  if (trainer != NULL && status >= 0) loss = cs_trainer_metric(trainer, "loss");
  if (folder != NULL && trainer != NULL && status >= 0 &&
      cs_trainer_save(trainer, folder, error) == CS_OK)
    cs_trainer_free(cs_trainer_resume(folder, model, data, NULL, error));
  cs_trainer_free(trainer);
  cs_dataset_free(data);
  cs_config_free(config);
  return loss;
}

static int encodes(cs_model *model) {
  static const char *const kText = "two birds fly over the old house";
  const char *texts[kTexts];
  static float vectors[kTexts * kDimension];
  for (int i = 0; i < kTexts; ++i) texts[i] = kText;
  if (cs_encode(model, texts, NULL, kTexts, NULL, vectors, kTexts * kDimension, NULL) != CS_OK)
    return 0;
  return memcmp(vectors, vectors + (kTexts - 1) * kDimension, kDimension * sizeof(float)) == 0;
}

/* Runs `body` in a child, which is killed after a while. Returns its exit code, or 128 + the signal
 * that ended it. */
static int in_child(int (*body)(cs_model *, int), cs_model *model, int argument) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    _exit(body(model, argument));
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --- threads that cannot be created */

/* Limits the processes and threads of a user that runs nothing else to `limit`. */
static int train_under_a_limit(cs_model *model, int limit) {
  cs_error *error = NULL;
  const struct rlimit processes = {(rlim_t)limit, (rlim_t)limit};
  cs_string_free(
      cs_build_info(NULL)); /* loads LibTorch, which that user may not be allowed to read */
  if (getuid() == 0 && setuid(54321) != 0) return 2; /* limits do not apply to root */
  if (setrlimit(RLIMIT_NPROC, &processes) != 0) return 3;
  if (cs_set_threads(4, &error) != CS_OK) return 5;
  if (!encodes(model)) return 6;
  const double loss = train(model, kLessons, NULL, &error);
  if (error != NULL) {
    fprintf(stderr, "limit %d: %s: %s\n", limit, cs_status_name(cs_error_status(error)),
            cs_error_message(error));
    return 7;
  }
  return isfinite(loss) ? 0 : 8;
}

static void refused_threads_are_done_without(void **state) {
  (void)state;
  cs_model *model = load();
  for (int limit = 1; limit <= 24; limit += limit < 8 ? 1 : 4)
    assert_int_equal(in_child(train_under_a_limit, model, limit), 0);
  cs_model_free(model);
}

/* --- fork */

/* Threads of this process. */
static int count_threads(void) {
  DIR *tasks = opendir("/proc/self/task");
  int count = -2; /* "." and ".." */
  while (tasks != NULL && readdir(tasks) != NULL) ++count;
  if (tasks != NULL) closedir(tasks);
  return count;
}

static int train_in_this_thread(cs_model *model, int unused) {
  (void)unused;
  cs_error *error = NULL;
  const double loss = train(model, kLessons, NULL, &error);
  if (error != NULL) fprintf(stderr, "%s\n", cs_error_message(error));
  return isfinite(loss) && encodes(model) ? 0 : 1;
}

static void *train_in_a_thread(void *model) {
  return train_in_this_thread(model, 0) == 0 ? model : NULL;
}

static double loss_in_the_parent;

/* Trains in the child, on the thread that forked and on a new one, with new worker threads, and
 * gets the same loss. */
static int train_after_fork(cs_model *model, int new_thread) {
  if (!new_thread) {
    cs_error *error = NULL;
    if (count_threads() != 1 || train(model, kLessons, NULL, &error) != loss_in_the_parent)
      return 3;
    return count_threads() == 2 && encodes(model)
               ? 0
               : 4; /* the second thread of the pool; the data threads are gone */
  }
  pthread_t thread;
  void *result = NULL;
  if (pthread_create(&thread, NULL, train_in_a_thread, model) != 0 ||
      pthread_join(thread, &result) != 0)
    return 2;
  return result == model ? 0 : 1;
}

/* Embeds with CLSR's result: the encoder and a dense module after it, which LibTorch computes. */
static cs_model *with_dense(cs_model *model) {
  cs_error *error = NULL;
  cs_config *config = cs_config_parse(
      "{\"method\": \"clsr\", \"batch_size\": 4, \"max_steps\": 1, \"clsr.hidden\": 512}", &error);
  cs_trainer *trainer = cs_trainer_new(model, NULL, config, &error);
  cs_model *result = trainer == NULL ? NULL : cs_trainer_model(trainer, 0, &error);
  if (result == NULL) fprintf(stderr, "%s\n", cs_error_message(error));
  cs_trainer_free(trainer);
  cs_config_free(config);
  return result;
}

static int encode_dense(cs_model *model, int unused) {
  (void)unused;
  const int32_t dimension = cs_model_dimension(model);
  const char *texts[kTexts];
  for (int i = 0; i < kTexts; ++i) texts[i] = "two birds fly over the old house";
  float *vectors = malloc(sizeof(float) * kTexts * (size_t)dimension);
  const cs_status status =
      cs_encode(model, texts, NULL, kTexts, NULL, vectors, (int64_t)kTexts * dimension, NULL);
  free(vectors);
  return status == CS_OK ? 0 : 1;
}

static cs_trainer *inherited;

/* The data threads of the run exist only in the parent: the child's step is refused, and freeing
 * the run does not wait for them. */
static int use_the_parents_trainer(cs_model *model, int unused) {
  (void)model, (void)unused;
  cs_error *error = NULL;
  const cs_status status = cs_train_step(inherited, NULL, &error);
  cs_error_free(error);
  cs_trainer_free(inherited);
  return status == CS_ERROR_STATE ? 0 : 1;
}

static int trainer_is_the_parents(cs_model *model) {
  cs_error *error = NULL;
  cs_config *config =
      cs_config_parse("{\"method\": \"mnrl\", \"batch_size\": 2, \"max_steps\": 100}", &error);
  cs_dataset *data = cs_dataset_new(&error);
  for (int i = 0; i < 8; ++i) {
    char text[8];
    snprintf(text, sizeof text, "%d birds", i);
    if (cs_dataset_add(data, text, -1, "a cat", -1, NAN, &error) != CS_OK) return 0;
  }
  inherited = cs_trainer_new(model, data, config, &error);
  int goes_on = 1;
  /* Repeated, because threads may or may not hold a lock when the process forks. */
  for (int i = 0; i < kForks && goes_on; ++i) {
    goes_on = cs_train_step(inherited, NULL, &error) == CS_OK &&
              in_child(use_the_parents_trainer, model, 0) == 0;
  }
  goes_on = goes_on && cs_train_step(inherited, NULL, &error) == CS_OK;
  cs_trainer_free(inherited);
  cs_dataset_free(data);
  cs_config_free(config);
  return goes_on;
}

/* The forking process is itself a child, so that this program's own threads do not change.
 */
static int train_then_fork(cs_model *model, int unused) {
  (void)unused;
  cs_error *error = NULL;
  if (cs_set_threads(2, NULL) != CS_OK) return 1;
  loss_in_the_parent = train(model, kLessons, NULL, &error);
  if (!isfinite(loss_in_the_parent)) return 1;
  for (int new_thread = 0; new_thread < 2; ++new_thread) {
    if (in_child(train_after_fork, model, new_thread) != 0) return 2 + new_thread;
  }
  cs_model *dense = with_dense(model);
  if (dense == NULL || encode_dense(dense, 0) != 0 || in_child(encode_dense, dense, 0) != 0)
    return 5;
  if (!trainer_is_the_parents(model)) return 6;
  return train_in_this_thread(model, 0) == 0 ? 0 : 4; /* and the parent continues */
}

static void a_child_of_a_process_that_trained_trains(void **state) {
  (void)state;
  cs_model *model = load();
  assert_int_equal(in_child(train_then_fork, model, 0), 0);
  cs_model_free(model);
}

/* --- small stacks */

struct Stack {
  cs_model *model;
  char *bytes, folder[100];
  size_t size;
  cs_status load, encode, train, others;
};

/* The status of an error that may be NULL. Frees the error, and prints it unless it is LIMIT. */
static cs_status told(const char *what, cs_error **error) {
  const cs_status status = *error == NULL ? CS_OK : cs_error_status(*error);
  if (status < 0 && status != CS_ERROR_LIMIT)
    fprintf(stderr, "%s: %s\n", what, cs_error_message(*error));
  cs_error_free(*error);
  *error = NULL;
  return status;
}

/* An evaluation, mined negatives, a reranker's scores. */
static void evaluate_mine_rerank(struct Stack *stack, cs_error **error) {
  char path[200], json[300];
  snprintf(path, sizeof path, "%s/sts.tsv", stack->folder);
  FILE *file = fopen(path, "w");
  cs_dataset *pairs = cs_dataset_new(error);
  for (int i = 0; file != NULL && pairs != NULL && i < 8; ++i) {
    char text[40];
    snprintf(text, sizeof text, "the %d birds fly far", i);
    fprintf(file, "%d\t%s\ta cat sat\n", i % 5, text);
    if (cs_dataset_add(pairs, text, -1, text + 4, -1, NAN, error) != CS_OK) break;
  }
  if (file != NULL) fclose(file);
  snprintf(json, sizeof json, "{\"data\": \"%s\"}", path);
  cs_config *config = pairs == NULL ? NULL : cs_config_parse(json, error);
  if (config != NULL) cs_string_free(cs_evaluate(stack->model, "sts", config, NULL, error));
  cs_config_free(config);
  stack->others = told("evaluate", error);
  snprintf(path, sizeof path, "%s/mined.jsonl", stack->folder);
  config = cs_config_parse("{\"num_negatives\": 1, \"relative_margin\": -1e9}", error);
  if (config != NULL && pairs != NULL)
    cs_string_free(cs_mine(stack->model, NULL, pairs, NULL, path, config, NULL, error));
  cs_config_free(config);
  cs_dataset_free(pairs);
  if (stack->others == CS_OK) stack->others = told("mine", error);
  cs_model *reranker =
      *error == NULL ? cs_model_load(CONTRASTIVE_FIXTURES "/rerankers/bert", NULL, error) : NULL;
  const char *document = "two birds fly";
  float score;
  if (reranker != NULL)
    cs_rerank(reranker, "a bird", -1, &document, NULL, 1, NULL, &score, 1, error);
  cs_model_free(reranker);
  const cs_status status = told("rerank", error);
  if (stack->others == CS_OK) stack->others = status;
}

static void *use_everything(void *argument) {
  struct Stack *stack = argument;
  cs_error *error = NULL;
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  cs_model_free(model);
  stack->load = told("load", &error);
  float vector[kDimension];
  const char *text = "two birds fly";
  cs_encode(stack->model, &text, NULL, 1, NULL, vector, kDimension, &error);
  stack->encode = told("encode", &error);
  stack->train = CS_OK;
  for (size_t i = 0; i < sizeof kLessons / sizeof *kLessons; ++i) {
    char folder[200];
    snprintf(folder, sizeof folder, "%s/%s", stack->folder, kLessons[i].method);
    train(stack->model, &kLessons[i], folder, &error);
    const cs_status status = told(kLessons[i].method, &error);
    if (status < 0) stack->train = status;
  }
  evaluate_mine_rerank(stack, &error);
  return NULL;
}

/* How many bytes of a stack of `size` bytes were used. */
static size_t run_on_a_stack(struct Stack *stack) {
  snprintf(stack->folder, sizeof stack->folder, "%s/contrastive-stack-XXXXXX",
           getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
  assert_non_null(mkdtemp(stack->folder));
  stack->bytes =
      mmap(NULL, stack->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(stack->bytes != MAP_FAILED);
  memset(stack->bytes, 0xA5, stack->size);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  assert_int_equal(pthread_attr_setstack(&attributes, stack->bytes, stack->size), 0);
  assert_int_equal(pthread_create(&thread, &attributes, use_everything, stack), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  size_t untouched = 0;
  while (untouched < stack->size && stack->bytes[untouched] == (char)0xA5) ++untouched;
  munmap(stack->bytes, stack->size);
  char command[150];
  snprintf(command, sizeof command, "rm -rf '%s'", stack->folder);
  assert_int_equal(system(command), 0);
  return stack->size - untouched;
}

static void a_stack_that_is_too_small_is_refused(void **state) {
  (void)state;
  cs_model *model = load();
  struct Stack tiny = {.model = model, .size = 64 << 10};
  struct Stack small = {.model = model, .size = kLeast + ROOM},
               large = {.model = model, .size = kLeastOfLibtorch + ROOM};
  run_on_a_stack(&tiny);
  assert_int_equal(tiny.load, CS_ERROR_LIMIT);
  assert_int_equal(tiny.encode, CS_ERROR_LIMIT);
  assert_int_equal(tiny.train, CS_ERROR_LIMIT);
  run_on_a_stack(&small);
  assert_int_equal(small.load, CS_OK);
  assert_int_equal(small.encode, CS_OK);
  assert_int_equal(small.train, CS_ERROR_LIMIT);
  const size_t used = run_on_a_stack(&large);
  assert_int_equal(large.load, CS_OK);
  assert_int_equal(large.encode, CS_OK);
  assert_int_equal(large.train, CS_OK);
  assert_int_equal(large.others, CS_OK);
  print_message(
      "stack used by load, encode, training, saving, evaluating, mining and reranking: %zu KiB\n",
      used >> 10);
  assert_true(used < kLeastOfLibtorch / 2 + ROOM); /* about half of what contrastive.h requires */
  cs_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(refused_threads_are_done_without),
                                     leak_checked(a_child_of_a_process_that_trained_trains),
                                     leak_checked(a_stack_that_is_too_small_is_refused)};
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
