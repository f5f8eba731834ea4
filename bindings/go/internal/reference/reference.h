/* The C API called from C, for tests: what Go gets must be what C gets, and is timed against it. */
#ifndef CONTRASTIVE_GO_REFERENCE_H
#define CONTRASTIVE_GO_REFERENCE_H

#include <contrastive/contrastive.h>

/* Nanoseconds of one call of many, made in a loop of C; -1 where one failed. */
double reference_time_bare(uintptr_t model, int64_t calls);
double reference_time_encode(uintptr_t model, const char *data, const int32_t *offsets,
                             int64_t n_texts, float *embeddings, int64_t n_floats, int64_t calls);
double reference_time_similarity(const float *a, int64_t n_a, const float *b, int64_t n_b,
                                 int64_t dimension, float *scores, int64_t calls);

/* One text with its length, through cs_encode; a cs_status. */
int32_t reference_encode(uintptr_t model, const char *text, int64_t length, float *embedding,
                         int64_t n_floats);

#endif
