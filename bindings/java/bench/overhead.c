/* What the calls of Overhead.java cost in C: best of 30 blocks, a line "name nanoseconds" each. overhead.sh runs both and makes the table. */
#include <contrastive/contrastive.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 1000, COLUMNS = 384 };
static cs_model *model;
static float embedding[32], left[ROWS], right[COLUMNS], corpus[ROWS * COLUMNS], scores[ROWS * COLUMNS];
static const char *const text[1] = {"the cat sat on the mat."};

static void bare_call(void) { cs_model_dimension(model); }
static void one_text(void) { cs_encode(model, text, NULL, 1, NULL, embedding, 32, NULL); }
static void floats_out(void) { cs_similarity(left, ROWS, right, COLUMNS, 1, CS_METRIC_DOT, scores, ROWS * COLUMNS, NULL); }
static void floats_in(void) { cs_similarity(corpus, 1, corpus, ROWS, COLUMNS, CS_METRIC_DOT, scores, ROWS * COLUMNS, NULL); }

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(const char *name, void (*call)(void), int calls) {
  double best = 1e9;
  for (int block = 0; block < 30; ++block) {
    const double begin = seconds();
    for (int i = 0; i < calls; ++i) call();
    const double each = (seconds() - begin) / calls;
    if (each < best) best = each;
  }
  printf("%s %.1f\n", name, 1e9 * best);
}

int main(int argc, char **argv) {
  cs_error *error = NULL;
  if (argc != 2 || (model = cs_model_load(argv[1], NULL, &error)) == NULL) {
    fprintf(stderr, "%s\n", argc == 2 ? cs_error_message(error) : "usage: overhead MODEL");
    return 1;
  }
  cs_set_threads(1, NULL);
  for (int i = 0; i < ROWS * COLUMNS; ++i) corpus[i] = (float)(i % 7);
  measure("bare_call", bare_call, 100000);
  measure("one_text", one_text, 2000);
  measure("floats_out", floats_out, 100);
  measure("floats_in", floats_in, 100);
  cs_model_free(model);
  return 0;
}
