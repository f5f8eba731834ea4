/* A stress test of the C API. Short-lived threads make every kind of call on shared handles, free
 * handles that others use, use freed handles, pass handles of the wrong kind, raise flags,
 * interrupt each other by signals, and replace the log sink.
 *
 *     storm [SECONDS [SEED]]        default: 20 seconds, and the time as the seed
 *
 * Nothing may crash or hang. A call may fail only as the header documents. Embeddings must equal
 * those that one thread computed before, within 1e-6. At the end of a round everything is freed: no
 * handle may be left, and threads, file descriptors and resident memory must be what they were
 * after the first rounds. If a thread makes no progress, that is a hang: the stacks of all threads
 * are printed, and the program aborts. */
#include <contrastive/contrastive.h>
#include <errno.h>
#include <execinfo.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process_figures.h"

enum {
  kWorkers = 6,
  kSlots = 4,
  kTexts = 6,
  kDimension = 32,
  kRounds = 8,
  kCorpus = 64,
  kWide = 8,
  kWidest = 1024 /* CLSR adds a dense module */
};

static const char *const kModel = CONTRASTIVE_FIXTURES "/models/bert_st", *const kReranker =
                                                                              CONTRASTIVE_FIXTURES
                                                                          "/rerankers/bert";
static const char *const kTextOf[kTexts] = {
    "the cat sat",       "a dog runs",   "", "two birds fly over the old house",
    "red \xff and blue", "one man walks"};
static float reference[kTexts][kDimension], ranked[kTexts]; /* for the query kTextOf[0] */
static char lines[512]; /* a data file with an empty text, of which the library warns */
static uint64_t seed;

/* The handles that the threads share. A handle that is taken out of its slot is freed, even if
 * another thread uses it or puts it elsewhere. */
static _Atomic(uintptr_t) models[kSlots], datasets[kSlots], trainers[kSlots], cancels[kSlots],
    configs[kSlots], rerankers[kSlots], stale[kSlots];
static atomic_bool stop;

/* ---- Figures of the whole run */
enum {
  kLoad,
  kEncode,
  kRerank,
  kSearch,
  kTrain,
  kSnapshot,
  kCancel,
  kFree,
  kStale,
  kMisuse,
  kSink,
  kInterrupt,
  kKinds
};
static const char *const kKindName[kKinds] = {"load",  "encode",   "rerank", "search",
                                              "train", "snapshot", "cancel", "free",
                                              "stale", "misuse",   "sink",   "interrupt"};
static atomic_long done[kKinds], refused[kKinds], messages;

static _Noreturn void die(const char *what, cs_status status, const char *message) {
  unlink(lines);
  fprintf(stderr, "storm: seed %llu: %s: %s (%d) %s\n", (unsigned long long)seed, what,
          cs_status_name(status), (int)status, message);
  abort();
}

/* ---- Hang detection: each worker records when it begins a call, which takes milliseconds */
static struct {
  pthread_t thread;
  _Atomic long beat; /* CLOCK_MONOTONIC seconds; 0: no call runs */
  _Atomic int kind;
} workers[kWorkers];
static atomic_int dumped;
static atomic_bool rolling; /* all workers have begun: their threads can be named */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static long seconds(void) { return (long)now(); }

static void dump_stack(int signal) {
  (void)signal;
  void *frames[64];
  const char line[] = "---- a thread\n";
  (void)!write(STDERR_FILENO, line, sizeof line - 1);
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  atomic_fetch_add(&dumped, 1);
}

static const long kPatience =
    60; /* s; far more than a call takes with sanitizers or on a busy machine */

static void look_for_hangs(void) {
  for (int i = 0; i < kWorkers; ++i) {
    const long beat = atomic_load(&workers[i].beat);
    if (beat == 0 || seconds() - beat < kPatience) continue;
    fprintf(stderr, "storm: seed %llu: worker %d has been hanging in %s for %ld s\n",
            (unsigned long long)seed, i, kKindName[atomic_load(&workers[i].kind)],
            seconds() - beat);
    for (int j = 0; j < kWorkers; ++j) {
      if (atomic_load(&workers[j].beat) == 0) continue;
      const int before = atomic_load(&dumped);
      pthread_kill(workers[j].thread, SIGUSR1);
      for (int wait = 0; wait < 100 && atomic_load(&dumped) == before; ++wait) usleep(10000);
    }
    abort();
  }
}

/* ---- Random numbers: each thread has its own state */
static _Thread_local uint64_t chance;
static uint32_t dice(uint32_t sides) {
  chance ^= chance << 13;
  chance ^= chance >> 7;
  chance ^= chance << 17;
  return (uint32_t)(chance >> 33) % sides;
}

/* ---- Checks of how a call ended. `allowed` ends with CS_OK, which is always allowed. */
static cs_status ended(int kind, const char *what, cs_status status, cs_error **error,
                       const cs_status *allowed) {
  if (status >= 0) {
    if (*error != NULL) die(what, status, "succeeded and set an error");
    atomic_fetch_add(&done[kind], 1);
    return status;
  }
  if (*error == NULL) die(what, status, "failed without an error");
  if (cs_error_status(*error) != status) die(what, status, "its error has another status");
  if (cs_error_message(*error)[0] == '\0') die(what, status, "its error has no message");
  while (*allowed != CS_OK && *allowed != status) ++allowed;
  if (*allowed == CS_OK) die(what, status, cs_error_message(*error));
  cs_error_free(*error);
  *error = NULL;
  atomic_fetch_add(&refused[kind], 1);
  return status;
}
#define ENDED(kind, call, ...) \
  ended((kind), #call, (call), &error, (const cs_status[]){__VA_ARGS__, CS_OK})

/* The same for a constructor. */
static void *made(int kind, const char *what, void *object, cs_error **error,
                  const cs_status *allowed) {
  ended(kind, what,
        object != NULL   ? CS_OK
        : *error != NULL ? cs_error_status(*error)
                         : CS_ERROR_INTERNAL,
        error, allowed);
  return object;
}
#define MADE(kind, call, ...) \
  made((kind), #call, (call), &error, (const cs_status[]){__VA_ARGS__, CS_OK})

/* ---- Slots */
static void *look(_Atomic(uintptr_t) *slots) { return (void *)atomic_load(&slots[dice(kSlots)]); }
static void *swap(_Atomic(uintptr_t) *slots, void *object) {
  return (void *)atomic_exchange(&slots[dice(kSlots)], (uintptr_t)object);
}
static void bury(void *object) {
  if (object != NULL) atomic_store(&stale[dice(kSlots)], (uintptr_t)object);
}

static void check_embedding(const float *embedding, int text, const char *where) {
  for (int i = 0; i < kDimension; ++i) {
    if (!(fabsf(embedding[i] - reference[text][i]) <= 1e-6f))
      die(where, CS_OK, "another embedding than one thread computed");
  }
}

/* ---- What a worker does */
static void load(void) {
  cs_error *error = NULL;
  cs_model *former =
      swap(models, MADE(kLoad, cs_model_load(kModel, NULL, &error), CS_ERROR_INTERNAL));
  cs_model_free(former);
  bury(former);
  if (dice(4) == 0) MADE(kLoad, cs_model_load("/nowhere/at/all", NULL, &error), CS_ERROR_NOT_FOUND);
}

static void encode(void) {
  cs_error *error = NULL;
  const char *texts[kTexts];
  int which[kTexts];
  float embeddings[kTexts * kDimension];
  const int n = 1 + (int)dice(kTexts);
  for (int i = 0; i < n; ++i) texts[i] = kTextOf[which[i] = (int)dice(kTexts)];
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.cancel = dice(3) == 0 ? look(cancels) : NULL;
  options.batch_tokens = dice(3) == 0 ? 8 : 0;
  const cs_status status =
      ENDED(kEncode,
            cs_encode(look(models), texts, NULL, n, &options, embeddings, n * kDimension, &error),
            CS_ERROR_HANDLE, CS_ERROR_CANCELLED);
  for (int i = 0; i < n && status == CS_OK; ++i)
    check_embedding(embeddings + i * kDimension, which[i], "cs_encode");
}

static void rerank(void) {
  cs_error *error = NULL;
  cs_model *former =
      dice(4) != 0 ? NULL
                   : swap(rerankers,
                          MADE(kRerank, cs_model_load(kReranker, NULL, &error), CS_ERROR_INTERNAL));
  cs_model_free(former);
  bury(former);
  const char *documents[kTexts];
  int which[kTexts], n = 1 + (int)dice(kTexts);
  float scores[kTexts];
  for (int i = 0; i < n; ++i) documents[i] = kTextOf[which[i] = (int)dice(kTexts)];
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.cancel = dice(3) == 0 ? look(cancels) : NULL;
  const cs_status status = ENDED(kRerank,
                                 cs_rerank(look(rerankers), kTextOf[0], -1, documents, NULL, n,
                                           &options, scores, n, &error),
                                 CS_ERROR_HANDLE, CS_ERROR_CANCELLED);
  for (int i = 0; i < n && status == CS_OK; ++i) {
    if (!(fabsf(scores[i] - ranked[which[i]]) <= 1e-6f))
      die("cs_rerank", CS_OK, "another score than one thread computed");
  }
}

static void search(void) {
  cs_error *error = NULL;
  float corpus[kCorpus * kWide], scores[2];
  int32_t indices[2];
  for (int i = 0; i < kCorpus * kWide; ++i) corpus[i] = (float)dice(1000) / 500.0f - 1.0f;
  const int row = (int)dice(kCorpus);
  cs_cancel *flag = dice(3) == 0 ? look(cancels) : NULL;
  const cs_status status =
      ENDED(kSearch,
            cs_search(corpus + row * kWide, 1, corpus, kCorpus, kWide, CS_METRIC_EUCLIDEAN, 2,
                      indices, scores, 2, flag, &error),
            CS_ERROR_HANDLE, CS_ERROR_CANCELLED);
  if (status == CS_OK && (scores[0] != 0.0f || indices[0] > row))
    die("cs_search", status, "a row is not its own nearest");
}

static void begin_training(void) {
  static const char *const kPairs[8][2] = {
      {"the cat sat", "a cat sits"},         {"a dog runs", "the dog ran"},
      {"two birds fly", "birds in the air"}, {"the old house", "a very old house"},
      {"red and blue", "blue and red"},      {"one man walks", "a man is walking"},
      {"she eats fish", "fish is eaten"},    {"it is closed", "closed today"}};
  cs_error *error = NULL;
  cs_dataset *data = MADE(kTrain, cs_dataset_new(&error), CS_ERROR_INTERNAL);
  for (int i = 0; i < 8; ++i) {
    ENDED(kTrain,
          cs_dataset_add(data, kPairs[i][0], (int64_t)strlen(kPairs[i][0]), kPairs[i][1],
                         (int64_t)strlen(kPairs[i][1]), NAN, &error),
          CS_ERROR_INTERNAL);
  }
  const char *settings =
      dice(2) ? "{\"method\": \"clsr\", \"batch_size\": 4, \"max_steps\": 20, \"lr\": 0.001}"
              : "{\"method\": \"consert\", \"batch_size\": 4, \"max_steps\": 6}";
  cs_config *config = MADE(kTrain, cs_config_parse(settings, &error), CS_ERROR_INTERNAL);
  cs_trainer *trainer = MADE(kTrain, cs_trainer_new(look(models), data, config, &error),
                             CS_ERROR_HANDLE, CS_ERROR_BUSY);
  cs_dataset *old_data = swap(datasets, data);
  cs_trainer *old_trainer = swap(trainers, trainer);
  cs_dataset_free(old_data);
  cs_config_free(swap(configs, config));
  cs_trainer_free(old_trainer);
  bury(dice(2) ? (void *)old_data : (void *)old_trainer);
}

static void train(void) {
  cs_error *error = NULL;
  cs_trainer *trainer = look(trainers);
  for (int i = 1 + (int)dice(3); i > 0; --i) {
    ENDED(kTrain, cs_train_step(trainer, dice(2) ? look(cancels) : NULL, &error), CS_ERROR_HANDLE,
          CS_ERROR_BUSY, CS_ERROR_CANCELLED);
  }
  const double step = cs_trainer_metric(trainer, "step");
  if (step < 0 || step > 20) die("cs_trainer_metric", CS_OK, "a step that no run has");
  char *metrics = cs_trainer_metrics(trainer, &error);
  ENDED(kTrain, metrics != NULL ? CS_OK : cs_error_status(error), CS_ERROR_HANDLE, CS_ERROR_BUSY);
  cs_string_free(metrics);
  if (dice(4) == 0) { /* the trained model is a model */
    cs_model *model = MADE(kTrain, cs_trainer_model(trainer, (int32_t)dice(2), &error),
                           CS_ERROR_HANDLE, CS_ERROR_BUSY);
    float embedding[kWidest];
    const int32_t width = cs_model_dimension(model);
    if (model != NULL && (width < 1 || width > kWidest))
      die("cs_model_dimension", width, "of a trained model");
    if (model != NULL) {
      ENDED(kTrain, cs_encode(model, kTextOf, NULL, 1, NULL, embedding, width, &error),
            CS_ERROR_INTERNAL);
      for (int i = 0; i < width; ++i) {
        if (!isfinite(embedding[i]))
          die("cs_encode", CS_OK, "an embedding of a trained model is not finite");
      }
    }
    cs_model_free(model);
  }
}

static void snapshot(void) {
  cs_error *error = NULL;
  cs_model *copy = MADE(kSnapshot, cs_model_snapshot(look(models), &error), CS_ERROR_HANDLE);
  if (copy == NULL) return;
  float embedding[kDimension];
  const int text = (int)dice(kTexts);
  ENDED(kSnapshot, cs_encode(copy, &kTextOf[text], NULL, 1, NULL, embedding, kDimension, &error),
        CS_ERROR_INTERNAL);
  check_embedding(embedding, text, "an embedding of a snapshot");
  cs_model *former = swap(models, copy);
  cs_model_free(former);
  bury(former);
}

static void cancel(void) {
  cs_error *error = NULL;
  if (dice(2)) cs_cancel_trigger(look(cancels));
  cs_cancel *former = swap(cancels, MADE(kCancel, cs_cancel_new(&error), CS_ERROR_INTERNAL));
  cs_cancel_free(former);
  cs_cancel_trigger(former); /* already freed: nothing happens */
  bury(former);
}

static void release(void) {
  cs_model *model = swap(models, NULL);
  cs_model_free(model);
  if (dice(2)) cs_model_free(model); /* freed twice: the second call finds no object */
  bury(model);
  cs_trainer *trainer = dice(4) == 0 ? swap(trainers, NULL) : NULL;
  cs_trainer_free(trainer);
  bury(trainer);
  atomic_fetch_add(&done[kFree], 1);
}

/* Freed handles, perhaps of another kind, and perhaps still in another slot: each function finds no
 * object, or one of its kind. */
static void use_stale(void) {
  cs_error *error = NULL;
  float embedding[kDimension];
  void *gone = look(stale);
  if (cs_model_dimension(gone) > kWidest) die("cs_model_dimension", CS_OK, "of a stale handle");
  ENDED(kStale, cs_encode(gone, kTextOf, NULL, 1, NULL, embedding, kDimension, &error),
        CS_ERROR_HANDLE, CS_ERROR_ARGUMENT);
  ENDED(kStale, cs_rerank(gone, "a", 1, kTextOf, NULL, 1, NULL, embedding, 1, &error),
        CS_ERROR_HANDLE, CS_ERROR_ARGUMENT);
  ENDED(kStale, cs_train_step(gone, NULL, &error), CS_ERROR_HANDLE, CS_ERROR_BUSY);
  ENDED(kStale, cs_config_set(gone, "seed", "1", &error), CS_ERROR_HANDLE, CS_ERROR_BUSY);
  ENDED(kStale, cs_dataset_add(gone, "a", 1, NULL, 0, NAN, &error), CS_ERROR_HANDLE, CS_ERROR_BUSY,
        CS_ERROR_STATE, CS_ERROR_ARGUMENT);
  cs_model_free(gone);
  cs_trainer_free(gone);
  cs_dataset_free(gone);
  cs_cancel_free(gone);
  cs_config_free(gone);
}

static void misuse(void) {
  cs_error *error = NULL;
  float embedding[kDimension];
  cs_model *model = look(models);
  embedding[0] = 7.0f;
  ENDED(kMisuse, cs_encode(model, kTextOf, NULL, 1, NULL, embedding, kDimension - 1, &error),
        CS_ERROR_HANDLE, CS_ERROR_BUFFER);
  if (embedding[0] != 7.0f)
    die("cs_encode", CS_ERROR_BUFFER, "wrote into a buffer that is too small");
  const char *none[2] = {"a text", NULL};
  ENDED(kMisuse, cs_encode(model, none, NULL, 2, NULL, embedding, kDimension, &error),
        CS_ERROR_HANDLE, CS_ERROR_ARGUMENT, CS_ERROR_BUFFER);
  ENDED(kMisuse,
        cs_encode((cs_model *)look(datasets), kTextOf, NULL, 1, NULL, embedding, kDimension,
                  &error),
        CS_ERROR_HANDLE);
  ENDED(kMisuse, cs_similarity(embedding, 1, embedding, 1, 0, CS_METRIC_DOT, embedding, 1, &error),
        CS_ERROR_ARGUMENT);
  MADE(kMisuse, cs_config_parse("{\"lr\": ", &error), CS_ERROR_FORMAT);
  cs_trainer_free(MADE(kMisuse, cs_trainer_new(model, NULL, look(configs), &error), CS_ERROR_HANDLE,
                       CS_ERROR_ARGUMENT, CS_ERROR_BUSY));
  int32_t count = 0;
  ENDED(kMisuse, cs_tokenize(model, "the cat sat", 11, 0, NULL, NULL, NULL, 0, &count, &error),
        CS_ERROR_HANDLE, CS_ERROR_BUFFER);
}

static void count_message(int32_t level, const char *message, void *user) {
  if (level < CS_LOG_DEBUG || level > CS_LOG_WARNING || message[0] == '\0' || user != &messages)
    abort();
  atomic_fetch_add(&messages, 1);
}

/* A sink that makes calls that it must not make. */
static void call_back(int32_t level, const char *message, void *user) {
  count_message(level, message, user);
  if (cs_set_log_sink(NULL, CS_LOG_INFO, NULL, NULL) != CS_ERROR_BUSY) abort();
  if (cs_model_load(kModel, NULL, NULL) != NULL) abort();
  cs_model_free(look(models)); /* freeing is allowed */
}

static void sink(void) {
  cs_error *error = NULL;
  const uint32_t which = dice(3);
  ENDED(kSink,
        cs_set_log_sink(which == 0   ? NULL
                        : which == 1 ? count_message
                                     : call_back,
                        CS_LOG_DEBUG, &messages, &error),
        CS_ERROR_INTERNAL);
  cs_config *config =
      MADE(kSink, cs_config_parse("{\"data.format\": \"tsv\"}", &error), CS_ERROR_INTERNAL);
  cs_dataset *data = MADE(kSink, cs_dataset_open(lines, config, &error), CS_ERROR_INTERNAL);
  if (cs_dataset_size(data) != 2) die("cs_dataset_open", CS_OK, "another number of examples");
  cs_dataset_free(data);
  cs_config_free(config);
}

/* If another worker waits in a system call, that ends with EINTR, because the handler is set
 * without SA_RESTART. */
static void interrupt(void) {
  if (atomic_load(&rolling)) (void)pthread_kill(workers[dice(kWorkers)].thread, SIGUSR2);
}
static void interrupted(int signal) {
  (void)signal;
  atomic_fetch_add(&done[kInterrupt], 1);
}

static void *work(void *argument) {
  static void (*const kAct[])(void) = {load,     encode,    encode,         encode,    encode,
                                       rerank,   search,    begin_training, train,     train,
                                       snapshot, cancel,    release,        use_stale, misuse,
                                       sink,     interrupt, interrupt};
  static const int kKindOf[] = {kLoad,   kEncode, kEncode, kEncode, kEncode,    kRerank,
                                kSearch, kTrain,  kTrain,  kTrain,  kSnapshot,  kCancel,
                                kFree,   kStale,  kMisuse, kSink,   kInterrupt, kInterrupt};
  const int self = (int)(intptr_t)argument % kWorkers;
  chance = seed * 0x9e3779b97f4a7c15u + (uint64_t)(intptr_t)argument * 0xbf58476d1ce4e5b9u + 1;
  while (!atomic_load(&stop)) {
    const uint32_t act = dice(sizeof kAct / sizeof *kAct);
    atomic_store(&workers[self].kind, kKindOf[act]);
    atomic_store(&workers[self].beat, seconds());
    kAct[act]();
  }
  atomic_store(&workers[self].beat, 0);
  return NULL;
}

/* ---- Rounds and their figures */
static void free_all(void) {
  for (int i = 0; i < kSlots; ++i) {
    cs_trainer_free((cs_trainer *)atomic_exchange(&trainers[i], 0));
    cs_dataset_free((cs_dataset *)atomic_exchange(&datasets[i], 0));
    cs_config_free((cs_config *)atomic_exchange(&configs[i], 0));
    cs_cancel_free((cs_cancel *)atomic_exchange(&cancels[i], 0));
    cs_model_free((cs_model *)atomic_exchange(&rerankers[i], 0));
    cs_model_free((cs_model *)atomic_exchange(&models[i], 0));
  }
}

static struct figures round_of(long round, double length) {
  cs_error *error = NULL;
  atomic_store(&stop, false);
  for (int i = 0; i < kWorkers; ++i) {
    atomic_store(&workers[i].beat, seconds());
    if (pthread_create(&workers[i].thread, NULL, work, (void *)(intptr_t)(round * kWorkers + i)) !=
        0)
      die("pthread_create", CS_ERROR_INTERNAL, "");
  }
  atomic_store(&rolling, true);
  for (const double end = now() + length; now() < end; usleep(50000)) look_for_hangs();
  atomic_store(&stop, true);
  for (int i = 0; i < kWorkers; ++i) {
    for (; atomic_load(&workers[i].beat) != 0; usleep(1000)) look_for_hangs();
  }
  atomic_store(&rolling, false);
  for (int i = 0; i < kWorkers; ++i)
    pthread_join(workers[i].thread, NULL); /* only now, when no thread interrupts them any more */
  free_all();
  ENDED(kSink, cs_set_log_sink(NULL, CS_LOG_INFO, NULL, &error), CS_ERROR_INTERNAL);
  if (cs_live_handles() != 0) {
    fprintf(stderr, "storm: seed %llu: %lld handles are left after round %ld\n",
            (unsigned long long)seed, (long long)cs_live_handles(), round);
    exit(1);
  }
  return measure();
}

int main(int argc, char **argv) {
  const double length = argc > 1 ? atof(argv[1]) : 20;
  seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("storm: %g s, seed %llu\n", length, (unsigned long long)seed);
  signal(SIGUSR1, dump_stack);
  sigaction(SIGUSR2, &(struct sigaction){.sa_handler = interrupted}, NULL);
  mallopt(M_ARENA_MAX,
          1); /* so that the figures are the library's memory, not what each thread's arena keeps */
  (void)backtrace((void *[4]){NULL},
                  4); /* its first call loads a library, which a signal handler must not do */

  cs_error *error = NULL;
  snprintf(lines, sizeof lines, "%s/contrastive-storm-XXXXXX",
           getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR"));
  const int file = mkstemp(lines);
  if (file < 0 || write(file, "a\tb\n\t\nc\td\n", 10) != 10 || close(file) != 0)
    die(lines, CS_ERROR_IO, strerror(errno));
  /* The models are so small that threads would only wait for each other. */
  ENDED(kMisuse, cs_set_threads(1, &error), CS_ERROR_INTERNAL);
  cs_model *model = MADE(kLoad, cs_model_load(kModel, NULL, &error), CS_ERROR_INTERNAL);
  for (int i = 0; i < kTexts; ++i) {
    ENDED(kEncode, cs_encode(model, &kTextOf[i], NULL, 1, NULL, reference[i], kDimension, &error),
          CS_ERROR_INTERNAL);
  }
  cs_model_free(model);
  cs_model *reranker = MADE(kLoad, cs_model_load(kReranker, NULL, &error), CS_ERROR_INTERNAL);
  ENDED(kRerank,
        cs_rerank(reranker, kTextOf[0], -1, kTextOf, NULL, kTexts, NULL, ranked, kTexts, &error),
        CS_ERROR_INTERNAL);
  cs_model_free(reranker);

  /* Two rounds to warm up, then rounds of equal length; a long run has more of them. */
  const long rounds = kRounds + (long)(length / 60);
  const double each = length / (double)(rounds + 2);
  struct figures first = {0, 0, 0}, last = {0, 0, 0};
  double *memory = calloc((size_t)rounds + 1, sizeof *memory);
  if (memory == NULL) return 1;
  for (long round = -2; round < rounds; ++round) {
    last = round_of(round + 2, each);
    if (round == -1) first = last;
    if (round >= -1) memory[round + 1] = (double)last.kilobytes;
  }
  unlink(lines);

  const double slope = median_slope(memory, rounds + 1);
  free(memory);
  printf("storm: %ld rounds:", rounds + 2);
  for (int i = 0; i < kKinds; ++i)
    printf(" %s %ld/%ld", kKindName[i], atomic_load(&done[i]), atomic_load(&refused[i]));
  printf(" (done/refused), %ld messages; memory %ld KB, %+.0f KB a round (%.1f s); threads %ld, "
         "%+ld; descriptors %ld, %+ld\n",
         atomic_load(&messages), last.kilobytes, slope, each, last.threads,
         last.threads - first.threads, last.descriptors, last.descriptors - first.descriptors);
  for (int i = 0; i < kKinds; ++i) {
    if (atomic_load(&done[i]) == 0 && i != kStale) die(kKindName[i], CS_OK, "was never done");
  }
  if (atomic_load(&messages) == 0) die("the sinks", CS_OK, "got no message");
  if (last.threads != first.threads || last.descriptors != first.descriptors)
    die("threads or descriptors", CS_OK, "are not what they were");
  /* The figures of a short round are not stable, and a sanitizer keeps freed memory. */
  if (!CONTRASTIVE_SANITIZED && slope > (each < 10 ? 4096 : 512))
    die("memory", CS_OK, "grows in every round");
  return 0;
}
