/* Ranks that share a run through the C API, set up by config keys only. tests/core/torch/run tests
 * what they compute. */
#include <math.h>

#include "support.h"

#define RUN(more)                                                                                  \
  "{\"method\": \"mnrl\", \"optimizer\": \"sgd\", \"lr\": 0.1, \"batch_size\": 8, \"max_steps\": " \
  "2" more "}"

static const char *const kPairs[8][2] = {
    {"the cat sat", "a cat sits"},         {"a dog runs", "the dog ran"},
    {"two birds fly", "birds in the air"}, {"the old house", "a very old house"},
    {"red and blue", "blue and red"},      {"one man walks", "a man is walking"},
    {"she eats fish", "fish is eaten"},    {"it is closed", "closed today"}};

/* The loss of the second update on all pairs. */
static double second_loss(const char *json, double *ranks) {
  cs_error *error = NULL;
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  cs_dataset *data = cs_dataset_new(&error);
  for (int i = 0; i < 8; ++i)
    expect_ok(cs_dataset_add(data, kPairs[i][0], -1, kPairs[i][1], -1, NAN, &error));
  cs_config *config = cs_config_parse(json, &error);
  cs_trainer *trainer = cs_trainer_new(model, data, config, &error);
  if (trainer == NULL) fail_msg("%s", cs_error_message(error));
  for (int i = 0; i < 2; ++i) expect_ok(cs_train_step(trainer, NULL, &error));
  const double loss = cs_trainer_metric(trainer, "loss");
  *ranks = cs_trainer_metric(trainer, "ranks");
  cs_trainer_free(trainer);
  cs_config_free(config);
  cs_dataset_free(data);
  cs_model_free(model);
  return loss;
}

static void threads_of_one_process_train_like_one(void **state) {
  (void)state;
  double ranks;
  const double one = second_loss(RUN(""), &ranks);
  assert_true(one > 0);
  const double two =
      second_loss(RUN(", \"dist\": {\"mode\": \"threads\", \"devices\": [\"cpu\", \"cpu\"]}"),
                  &ranks);
  assert_true(ranks == 2);
  assert_true(fabs(two - one) < 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(threads_of_one_process_train_like_one)};
  return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
