/* Files that are not what they seem: special files for every path, leftovers of killed processes,
 * and weights whose sums are not finite. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum { kDimension = 32 };
static char folder[256];
static const char kModel[] = CONTRASTIVE_FIXTURES "/models/bert_st";

static const char *at(const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void run(const char *format, const char *first, const char *second) {
  char command[2048];
  snprintf(command, sizeof command, format, first, second);
  assert_int_equal(system(command), 0);
}

static int make_folder(void **state) {
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/contrastive-files-XXXXXX", parent == NULL ? "/tmp" : parent);
  alarm(120); /* ends the suite if a call waits for a FIFO */
  return mkdtemp(folder) == NULL ? -1 : count_before(state);
}

static int remove_folder(void **state) {
  run("rm -rf %s%s", folder, "");
  return count_after(state);
}
#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

static cs_model *load(const char *path, const char *json) {
  cs_error *error = NULL;
  cs_config *config = cs_config_parse(json, &error);
  cs_model *model = cs_model_load(path, config, &error);
  if (model == NULL) fail_msg("%s", cs_error_message(error));
  cs_config_free(config);
  return model;
}

static cs_trainer *trainer_with(cs_model *model, const char *json, cs_error **error) {
  cs_config *config = cs_config_parse(json, error);
  assert_non_null(config);
  cs_trainer *trainer = cs_trainer_new(model, NULL, config, error);
  cs_config_free(config);
  return trainer;
}

static const char *const kPairs[4] = {"the cat", "a cat", "a dog", "the dog"};

static void save_a_run(cs_model *model, const char *path) {
  cs_error *error = NULL;
  cs_trainer *trainer = trainer_with(model, "{\"method\": \"mnrl\", \"max_steps\": 9}", &error);
  assert_non_null(trainer);
  expect_ok(cs_train_batch(trainer, kPairs, NULL, 2, 2, NULL, NULL, &error));
  expect_ok(cs_trainer_save(trainer, path, &error));
  cs_trainer_free(trainer);
}

/* A special file that replaces `file` must be refused at once, with the right reason. */
static void a_run_is_resumed_from_regular_files_alone(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load(kModel, "{}");
  save_a_run(model, at("run"));
  static const char *const files[] = {"run/training_state/state.safetensors",
                                      "run/training_state/manifest.json"};
  static const struct {
    const char *make, *message;
  } others[] = {{"mkfifo %s%s", "FIFO"},
                {"ln -s /dev/zero %s%s", "device"},
                {"mkdir %s%s", "folder"}};
  for (int f = 0; f < 2; ++f) {
    run("cp %s %s", at(files[f]), at("kept"));
    for (int i = 0; i < 3; ++i) {
      run("rm -rf %s%s", at(files[f]), "");
      run(others[i].make, at(files[f]), "");
      expect_error(cs_trainer_resume(at("run"), model, NULL, NULL, &error), CS_ERROR_ARGUMENT,
                   others[i].message);
    }
    run("rm -rf %s%s", at(files[f]), "");
    run("cp %s %s", at("kept"), at(files[f]));
  }
  /* The file must be as long as the manifest says, or it is not read at all. */
  assert_int_equal(truncate(at(files[0]), (off_t)1 << 41), 0);
  expect_error(cs_trainer_resume(at("run"), model, NULL, NULL, &error), CS_ERROR_CORRUPT, "bytes");
  cs_model_free(model);
}

static void records_go_to_files_and_devices_alone(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load(kModel, "{}");
  char json[512];
  run("mkfifo %s%s", at("fifo"), "");
  for (int i = 0; i < 2; ++i) {
    snprintf(json, sizeof json, "{\"method\": \"mnrl\", \"max_steps\": 9, \"%s\": \"%s\"}",
             i == 0 ? "metrics_file" : "metrics_csv", at("fifo"));
    expect_error(trainer_with(model, json, &error), CS_ERROR_ARGUMENT, "FIFO");
  }
  cs_trainer *trainer =
      trainer_with(model,
                   "{\"method\": \"mnrl\", \"max_steps\": 9, \"metrics_file\": \"/dev/null\"}",
                   &error);
  assert_non_null(trainer);
  cs_trainer_free(trainer);
  cs_model_free(model);
}

static void inputs_are_regular_files(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load(kModel, "{}");
  run("mkfifo %s%s", at("fifo.tsv"), "");
  run("ln -s /dev/zero %s%s", at("zero.tsv"), "");
  static const char *const names[] = {"fifo.tsv", "zero.tsv"};
  for (int i = 0; i < 2; ++i) {
    char json[512];
    expect_error(cs_dataset_open(at(names[i]), NULL, &error), CS_ERROR_ARGUMENT,
                 "not a regular file");
    expect_error(cs_vocabulary_train(at(names[i]), at("vocabulary"), NULL, NULL, &error),
                 CS_ERROR_ARGUMENT, "not a regular file");
    snprintf(json, sizeof json, "{\"data\": \"%s\"}", at(names[i]));
    cs_config *config = cs_config_parse(json, &error);
    expect_error(cs_evaluate(model, "sts", config, NULL, &error), CS_ERROR_ARGUMENT,
                 "not a regular file");
    cs_config_free(config);
    /* Tests the cache of a method that embeds its texts once. */
    snprintf(json, sizeof json, "{\"method\": \"clsr\", \"max_steps\": 9, \"cache\": \"%s\"}",
             at("cache"));
    cs_trainer *trainer = trainer_with(model, json, &error);
    assert_non_null(trainer);
    expect_ok(cs_train_batch(trainer, kPairs, NULL, 2, 2, NULL, NULL, &error));
    cs_trainer_free(trainer);
    run("cd %s/embeddings-* && rm vectors && %s vectors", at("cache"),
        i == 0 ? "mkfifo" : "ln -s /dev/zero");
    trainer = trainer_with(model, json, &error);
    if (trainer == NULL) {
      expect_error(trainer, CS_ERROR_ARGUMENT, "not a regular file");
    } else {
      expect_error(cs_train_batch(trainer, kPairs, NULL, 2, 2, NULL, NULL, &error),
                   CS_ERROR_ARGUMENT, "not a regular file");
      cs_trainer_free(trainer);
    }
    run("rm -r %s%s", at("cache"), "");
  }
  cs_model_free(model);
}

/* A process was killed while it wrote next to the model: the folder may still be replaced, and then
 * the leftovers are gone. */
static void what_the_killed_left_is_replaced(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load(kModel, "{}");
  save_a_run(model, at("run"));
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, NULL, 0);
  char name[128];
  snprintf(name, sizeof name, "touch %%s/.metrics.jsonl.tmp-%d-0 %%s/run.json", (int)dead);
  run(name, at("run"), at("run"));
  snprintf(name, sizeof name,
           "mkdir -p %%s/.run.tmp-%d-3/training_state && touch %%s/..run.tmp-%d-3.lock", (int)dead,
           (int)dead);
  run(name, folder, folder);
  save_a_run(model, at("run"));
  DIR *items = opendir(folder);
  for (const struct dirent *item; (item = readdir(items)) != NULL;) {
    if (item->d_name[0] == '.' && item->d_name[1] != '\0' && strcmp(item->d_name, "..") != 0)
      fail_msg("%s stayed", item->d_name);
  }
  closedir(items);
  /* A file that is not a temporary file of the library is a user's file. */
  run("touch %s/.notes.tmp-1-0 %s", at("run"), "");
  expect_error(cs_model_save(model, at("run"), &error), CS_ERROR_ARGUMENT, ".notes.tmp-1-0");
  cs_model_free(model);
}

/* Writes `value` over floats [begin, end) of a tensor. */
static void overwrite(const char *path, const char *tensor, int begin, int end, float value) {
  static char header[1 << 16];
  uint64_t length = 0;
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fread(&length, 8, 1, file), 1);
  assert_true(length < sizeof header);
  assert_int_equal(fread(header, 1, length, file), length);
  header[length] = '\0';
  const char *entry = strstr(header, tensor);
  assert_non_null(entry);
  const char *offsets = strstr(entry, "\"data_offsets\":");
  assert_non_null(offsets);
  const long first = strtol(strchr(offsets, '[') + 1, NULL, 10);
  assert_int_equal(fseek(file, 8 + (long)length + first + 4L * begin, SEEK_SET), 0);
  for (int i = begin; i < end; ++i) assert_int_equal(fwrite(&value, 4, 1, file), 1);
  assert_int_equal(fclose(file), 0);
}

static void vectors_that_are_no_numbers_are_refused(void **state) {
  (void)state;
  cs_error *error = NULL;
  const char *const texts[3] = {"the cat sat", "a dog", "the house"};
  float out[3 * kDimension];
  /* Finite but huge weights, which overflow during the computation. */
  run("cp -r %s %s", kModel, at("huge"));
  overwrite(at("huge/model.safetensors"), "\"embeddings.LayerNorm.weight\"", 0, kDimension, 3e38f);
  cs_model *model = load(at("huge"), "{}");
  expect_error(cs_encode(model, texts, NULL, 3, NULL, out, 3 * kDimension, &error),
               CS_ERROR_NUMERIC, "texts[0]: its vector is not finite");
  const int32_t offsets[2] = {0, 3};
  expect_error(cs_encode_packed(model, "dog", offsets, 1, NULL, out, kDimension, &error),
               CS_ERROR_NUMERIC, "texts[0]");
  cs_model_free(model);
  /* NaN in the row of one token: only texts with that token fail. */
  model = load(kModel, "{}");
  int32_t ids[8], count = 0;
  expect_ok(cs_tokenize(model, "dog", -1, 0, ids, NULL, NULL, 8, &count, &error));
  cs_model_free(model);
  run("cp -r %s %s", kModel, at("nan"));
  overwrite(at("nan/model.safetensors"), "\"embeddings.word_embeddings.weight\"",
            ids[1] * kDimension, (ids[1] + 1) * kDimension, NAN);
  expect_error(cs_model_load(at("nan"), NULL, &error), CS_ERROR_NUMERIC, "word_embeddings");
  model = load(at("nan"), "{\"allow_non_finite\": true}");
  expect_error(cs_encode(model, texts, NULL, 3, NULL, out, 3 * kDimension, &error),
               CS_ERROR_NUMERIC, "texts[1]");
  expect_ok(cs_encode(model, texts, NULL, 1, NULL, out, kDimension, &error));
  expect_ok(cs_encode(model, texts + 2, NULL, 1, NULL, out, kDimension, &error));
  for (int i = 0; i < kDimension; ++i) assert_true(isfinite(out[i]));
  cs_model_free(model);
}

/* Loads pytorch_model.bin, which a config key allows: the vectors are the same as from safetensors.
 * A file that would run a program in Python is refused. */
static void pickled_weights_are_read_and_never_run(void **state) {
  (void)state;
  cs_error *error = NULL;
  const char *const text = "the cat sat on the mat.";
  float expected[8], vector[8];
  const char *const plain = CONTRASTIVE_FIXTURES "/models/bert_f16";
  cs_model *model = load(plain, "{\"pooling\": \"mean\"}");
  expect_ok(cs_encode(model, &text, NULL, 1, NULL, expected, 8, &error));
  cs_model_free(model);
  run("cp -r %s %s", plain, at("pickled"));
  run("rm %s/%s", at("pickled"), "model.safetensors");
  run("cp %s %s/pytorch_model.bin", CONTRASTIVE_FIXTURES "/pickled/bert_f16/pytorch_model.bin",
      at("pickled"));
  cs_config *config = cs_config_parse("{\"pooling\": \"mean\"}", &error);
  expect_error(cs_model_load(at("pickled"), config, &error), CS_ERROR_UNSUPPORTED,
               "unless allow_pickle = true allows it");
  cs_config_free(config);
  config = cs_config_parse("{\"pooling\": \"mean\", \"allow_pickle\": true}", &error);
  model = cs_model_load(at("pickled"), config, &error);
  assert_non_null(model);
  expect_ok(cs_encode(model, &text, NULL, 1, NULL, vector, 8, &error));
  assert_memory_equal(vector, expected, sizeof expected);
  cs_model_free(model);
  run("cp %s %s/pytorch_model.bin", CONTRASTIVE_FIXTURES "/pickled/runs_a_program.bin",
      at("pickled"));
  expect_error(cs_model_load(at("pickled"), config, &error), CS_ERROR_UNSUPPORTED,
               "the class 'posix.system' belongs to no state dict");
  assert_int_not_equal(access("ran", F_OK), 0);
  cs_config_free(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {in_a_folder(a_run_is_resumed_from_regular_files_alone),
                                     in_a_folder(records_go_to_files_and_devices_alone),
                                     in_a_folder(inputs_are_regular_files),
                                     in_a_folder(what_the_killed_left_is_replaced),
                                     in_a_folder(vectors_that_are_no_numbers_are_refused),
                                     in_a_folder(pickled_weights_are_read_and_never_run)};
  return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
