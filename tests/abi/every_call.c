/* every_call FIXTURES FOLDER: stands for a user's program. It calls every function of contrastive.h
   and checks the results. It is compiled with the header of the last release and runs with the
   current library. It writes into FOLDER, which must be empty. It uses libc only, no test
   framework. */
#include <contrastive/contrastive.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cs_error *error;
static int checks;

#define HOLDS(condition)                                                                  \
  do {                                                                                    \
    ++checks;                                                                             \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "line %d: %s is false; the last error: %s\n", __LINE__, #condition, \
              error ? cs_error_message(error) : "none");                                  \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

static const char *in(const char *folder, const char *name) {
  static char paths[8][1024];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  HOLDS(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void string_holds(char *text, const char *part) {
  HOLDS(text != NULL && strstr(text, part) != NULL);
  cs_string_free(text);
}

static void count_message(int32_t level, const char *message, void *user) {
  if (level >= CS_LOG_DEBUG && message != NULL) ++*(int *)user;
}

static void versions_and_errors(void) {
  HOLDS(cs_version() != NULL && cs_abi_version() == CS_ABI_VERSION && cs_live_handles() == 0);
  HOLDS(cs_set_threads(1, &error) == CS_OK);
  HOLDS(cs_set_libtorch(NULL, &error) == CS_OK);
  string_holds(cs_build_info(&error), "\"abi\"");
  HOLDS(cs_config_parse("{", &error) == NULL && cs_error_status(error) == CS_ERROR_FORMAT);
  HOLDS(strlen(cs_error_message(error)) > 10 &&
        strcmp(cs_status_name(cs_error_status(error)), "FORMAT") == 0);
  cs_error_free(error);
  error = NULL;
}

static cs_config *config_of(const char *json) {
  cs_config *config = cs_config_parse(json, &error);
  HOLDS(config != NULL);
  return config;
}

static void configs(void) {
  cs_config *config = config_of("{\"clsr\": {\"temperature\": 0.25}}"), *other = config_of(NULL);
  HOLDS(cs_config_set(other, "lr", "0.5", &error) == CS_OK);
  HOLDS(cs_config_merge(config, other, &error) == CS_OK);
  string_holds(cs_config_to_json(config, &error), "{\"clsr.temperature\":0.25,\"lr\":0.5}");
  string_holds(cs_config_describe("model", &error), "\"precision\"");
  cs_config_free(config);
  cs_config_free(other);
}

static void embedding(const cs_model *model) {
  const int32_t dimension = cs_model_dimension(model);
  HOLDS(dimension > 1 && dimension <= 64 && cs_model_max_length(model) > 4);
  string_holds(cs_model_info(model, &error), "\"computed_by\"");
  int32_t ids[64], begins[64], ends[64], types[64], count = 0;
  HOLDS(cs_tokenize(model, "the cat sat", -1, 0, ids, begins, ends, 64, &count, &error) == CS_OK &&
        count > 2 && begins[1] == 0);
  HOLDS(cs_tokenize_pair(model, "the cat", -1, "a dog", -1, 0, ids, types, 64, &count, &error) ==
            CS_OK &&
        types[count - 1] == 1);
  string_holds(cs_token(model, ids[0], &error), "[CLS]");

  const char *const texts[3] = {"the cat sat", "a dog runs", "the cat sat"};
  const int64_t lengths[3] = {11, 10, 11};
  int32_t counts[3] = {0, 0, 0};
  cs_cancel *cancel = cs_cancel_new(&error);
  HOLDS(cancel != NULL);
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.normalize = 1;
  options.truncate_dim = dimension / 2;
  options.token_counts = counts;
  options.cancel = cancel;
  float whole[3 * 64], half[3 * 64], packed[3 * 64], scores[9];
  HOLDS(cs_encode(model, texts, NULL, 3, NULL, whole, 3 * 64, &error) == CS_OK);
  HOLDS(cs_encode(model, texts, lengths, 3, &options, half, 3 * 64, &error) == CS_OK &&
        counts[0] > 2 && counts[0] == counts[2]);
  HOLDS(cs_encode_dimension(model, &options, &error) == dimension / 2);
  double length = 0;
  for (int i = 0; i < dimension / 2; ++i) length += (double)half[i] * half[i];
  HOLDS(fabs(length - 1) < 1e-5); /* both fields that were set had an effect */
  const int32_t offsets[4] = {0, 11, 21, 32};
  HOLDS(cs_encode_packed(model, "the cat sata dog runsthe cat sat", offsets, 3, NULL, packed,
                         3 * 64, &error) == CS_OK);
  for (int i = 0; i < 3 * dimension; ++i) HOLDS(fabsf(packed[i] - whole[i]) < 1e-5f);

  HOLDS(cs_similarity(whole, 3, whole, 3, dimension, CS_METRIC_COSINE, scores, 9, &error) ==
            CS_OK &&
        fabsf(scores[2] - 1) < 1e-5f);
  int32_t nearest[3];
  HOLDS(cs_search(whole, 1, whole, 3, dimension, CS_METRIC_EUCLIDEAN, 3, nearest, scores, 3, cancel,
                  &error) == CS_OK &&
        nearest[2] == 1);
  float calibration[2 * 64];
  uint8_t bytes[3 * 64];
  HOLDS(cs_quantize_calibrate(whole, 3, dimension, calibration, 2 * 64, &error) == CS_OK);
  HOLDS(cs_quantize(whole, 3, dimension, CS_PRECISION_INT8, calibration, bytes, 3 * 64, &error) ==
        CS_OK);
  HOLDS(memcmp(bytes, bytes + 2 * dimension, (size_t)dimension) == 0);

  cs_cancel_trigger(cancel);
  HOLDS(cs_encode(model, texts, NULL, 3, &options, half, 3 * 64, &error) == CS_ERROR_CANCELLED);
  cs_error_free(error);
  error = NULL;
  cs_cancel_free(cancel);
}

static void measuring(const cs_model *model, const char *folder) {
  write_file(in(folder, "scored.tsv"), "5.0\tthe cat sat\ta cat sits\n1.0\tthe cat sat\tred and "
                                       "blue\n3.0\ta dog runs\ttwo birds fly\n");
  cs_config *task = config_of(NULL);
  HOLDS(cs_config_set(task, "data", in(folder, "scored.tsv"), &error) == CS_OK);
  string_holds(cs_evaluate(model, "sts", task, NULL, &error), "\"spearman\"");
  string_holds(cs_evaluate_outline("sts", task, &error), "\"spearman\"");
  cs_config_free(task);
}

static void training(cs_model *model, const char *folder) {
  const char *const texts[8] = {"the cat sat",  "a cat sits",    "a dog runs",
                                "the dog ran",  "two birds fly", "birds in the air",
                                "red and blue", "blue and red"};
  cs_dataset *data = cs_dataset_new(&error);
  for (int i = 0; i < 3; ++i)
    HOLDS(cs_dataset_add(data, texts[2 * i], -1, texts[2 * i + 1], -1, NAN, &error) == CS_OK);
  HOLDS(cs_dataset_add_texts(data, texts + 6, NULL, 2, NAN, &error) == CS_OK &&
        cs_dataset_size(data) == 4);
  write_file(in(folder, "pairs.tsv"), "the cat sat\ta cat sits\na dog runs\tthe dog ran\n");
  cs_dataset *file = cs_dataset_open(in(folder, "pairs.tsv"), NULL, &error);
  HOLDS(file != NULL && cs_dataset_size(file) == 2);
  cs_dataset_free(file);

  cs_config *config = config_of("{\"method\": \"mnrl\", \"batch_size\": 4, \"max_steps\": 4}");
  HOLDS(cs_config_set(config, "dev", in(folder, "scored.tsv"), &error) == CS_OK);
  HOLDS(cs_trainer_check(config, data, NULL, &error) == CS_OK);
  cs_trainer *trainer = cs_trainer_new(model, data, config, &error);
  HOLDS(trainer != NULL);
  HOLDS(cs_train_step(trainer, NULL, &error) == CS_OK);
  HOLDS(cs_train_batch(trainer, texts, NULL, 4, 2, NULL, NULL, &error) == CS_OK);
  const int32_t offsets[5] = {0, 3, 6, 9, 12};
  HOLDS(cs_train_batch_packed(trainer, "catsatdogran", offsets, 2, 2, NULL, NULL, &error) == CS_OK);
  HOLDS(cs_trainer_evaluate(trainer, NULL, &error) == CS_OK);
  HOLDS(cs_trainer_metric(trainer, "step") == 3 && !isnan(cs_trainer_metric(trainer, "loss")) &&
        isnan(cs_trainer_metric(trainer, "no such")));
  string_holds(cs_trainer_metrics(trainer, &error), "\"loss\"");
  string_holds(cs_trainer_config(trainer, &error), "\"mnrl\"");
  cs_model *trained = cs_trainer_model(trainer, 0, &error);
  HOLDS(trained != NULL && cs_model_dimension(trained) == cs_model_dimension(model));
  cs_model_free(trained);
  HOLDS(cs_trainer_save_best(trainer, in(folder, "best"), &error) == CS_OK);
  HOLDS(cs_trainer_save(trainer, in(folder, "run"), &error) == CS_OK);
  cs_trainer_free(trainer);

  trainer = cs_trainer_resume(in(folder, "run"), model, data, NULL, &error);
  HOLDS(trainer != NULL && cs_train_step(trainer, NULL, &error) == CS_OK &&
        cs_train_step(trainer, NULL, &error) == CS_DONE);
  cs_trainer_free(trainer);
  cs_config_free(config);
  cs_dataset_free(data);
}

static void making(const char *folder) {
  write_file(in(folder, "texts.txt"), "the cat sat on the mat\na dog runs and runs\ntwo birds fly "
                                      "in the air\nred and blue and red\n");
  HOLDS(cs_vocabulary_train(in(folder, "texts.txt"), in(folder, "vocabulary"), NULL, NULL,
                            &error) == CS_OK);
  cs_config *recipe = config_of(
      "{\"layers\": 1, \"hidden_size\": 8, \"attention_heads\": 2, \"pooling\": \"mean\"}");
  HOLDS(cs_config_set(recipe, "tokenizer", in(folder, "vocabulary"), &error) == CS_OK);
  cs_model *made = cs_model_create(recipe, &error);
  HOLDS(made != NULL && cs_model_dimension(made) == 8);
  cs_model_free(made);
  cs_config_free(recipe);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  const char *folder = arguments[2];
  int messages = 0;
  versions_and_errors();
  HOLDS(cs_set_log_sink(count_message, CS_LOG_DEBUG, &messages, &error) == CS_OK);
  configs();
  cs_model *model = cs_model_load(in(arguments[1], "models/bert_st"), NULL, &error);
  HOLDS(model != NULL);
  embedding(model);
  measuring(model, folder);
  cs_model *copy = cs_model_snapshot(model, &error);
  HOLDS(copy != NULL && cs_model_save(copy, in(folder, "saved"), &error) == CS_OK);
  training(copy, folder);
  making(folder);
  cs_model_free(copy);
  cs_model_free(model);
  HOLDS(cs_set_log_sink(NULL, CS_LOG_WARNING, NULL, &error) == CS_OK && messages > 0);
  HOLDS(cs_live_handles() == 0);
  printf("%d checks passed, with the header of %d.%d.%d and the library %s\n", checks,
         CS_VERSION_MAJOR, CS_VERSION_MINOR, CS_VERSION_PATCH, cs_version());
  return 0;
}
