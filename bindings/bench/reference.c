/* The calls of the Java and C# benchmarks, made and timed in C. A library, so that one process can
 * time both in turn. */
#include <contrastive/contrastive.h>
#include <stdio.h>
#include <time.h>

enum { ROWS = 1000, COLUMNS = 384 };
static cs_model *model;
static float embedding[32], left[ROWS], right[COLUMNS], corpus[ROWS * COLUMNS],
    scores[ROWS * COLUMNS];
static const char *const text[1] = {"the cat sat on the mat."};

static void bare_call(void) { cs_model_dimension(model); }
static void one_text(void) { cs_encode(model, text, NULL, 1, NULL, embedding, 32, NULL); }
static void floats_out(void) {
  cs_similarity(left, ROWS, right, COLUMNS, 1, CS_METRIC_DOT, scores, ROWS * COLUMNS, NULL);
}
static void floats_in(void) {
  cs_similarity(corpus, 1, corpus, ROWS, COLUMNS, CS_METRIC_DOT, scores, ROWS * COLUMNS, NULL);
}
static void (*const measured[])(void) = {bare_call, one_text, floats_out, floats_in};

/* Loads the model of a folder. 0, or -1 after printing why not. */
__attribute__((visibility("default"))) int reference_open(const char *folder) {
  cs_error *error = NULL;
  model = cs_model_load(folder, NULL, &error);
  if (model == NULL) fprintf(stderr, "%s\n", cs_error_message(error));
  cs_error_free(error);
  for (int i = 0; i < ROWS * COLUMNS; ++i) corpus[i] = (float)(i % 7);
  return model == NULL ? -1 : 0;
}

/* The mean nanoseconds of a call. which: 0 a call that does nothing, 1 one text, 2 1,000 x 384
 * floats out, 3 as many in. */
__attribute__((visibility("default"))) double reference_time(int which, int calls) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < calls; ++i) measured[which]();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec)) /
         calls;
}
