/* Eight pairs of texts, and a dataset of them. */
#ifndef CONTRASTIVE_TESTS_CAPI_PAIRS_H
#define CONTRASTIVE_TESTS_CAPI_PAIRS_H

#include <math.h>

#include "support.h"

static const char *const kPairs[8][2] = {
    {"the cat sat", "a cat sits"},         {"a dog runs", "the dog ran"},
    {"two birds fly", "birds in the air"}, {"the old house", "a very old house"},
    {"red and blue", "blue and red"},      {"one man walks", "a man is walking"},
    {"she eats fish", "fish is eaten"},    {"it is closed", "closed today"}};

static cs_dataset *fill(void) {
  cs_error *error = NULL;
  cs_dataset *data = cs_dataset_new(&error);
  for (int i = 0; i < 8; ++i)
    expect_ok(cs_dataset_add(data, kPairs[i][0], -1, kPairs[i][1], -1, NAN, &error));
  return data;
}

#endif
