/* Careless and hostile input, end to end: malformed and huge texts, numbers out of range, a host
 * with another locale, models that lack what a method needs. Each call must return the documented
 * status, and everything must be usable afterwards. */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support.h"

enum { kDimension = 32 };

static cs_model *load_with(const char *name, const char *json) {
  cs_error *error = NULL;
  char path[1024];
  snprintf(path, sizeof path, CONTRASTIVE_FIXTURES "/models/%s", name);
  cs_config *config = cs_config_parse(json, &error);
  cs_model *model = cs_model_load(path, config, &error);
  if (model == NULL) fail_msg("%s", cs_error_message(error));
  cs_config_free(config);
  return model;
}

/* A text that is not UTF-8, and the index of the first wrong byte. */
struct malformed {
  const char *text;
  int64_t length, at;
};
static const struct malformed kMalformed[] = {
    {"\xff\xfe", 2, 0},                    /* bytes that never occur in UTF-8 */
    {"ab\x80", 3, 2},                      /* a continuation byte alone */
    {"ab\xc0\x80", 4, 2},                  /* overlong: modified UTF-8's NUL */
    {"\xe0\x80\xaf", 3, 0},                /* overlong */
    {"x \xed\xa0\x80", 5, 2},              /* a surrogate */
    {"a\xed\xa0\xbd\xed\xb8\x80 b", 9, 1}, /* a surrogate pair, as CESU-8 writes an emoji */
    {"\xc3\xa9t\xe9", 4, 3},               /* Latin-1 after UTF-8 */
    {"the end \xf0\x9f\x98", 11, 8},       /* an emoji cut short */
    {"\xf4\x90\x80\x80", 4, 0},            /* beyond U+10FFFF */
    {"nul\0\xff", 5, 4}};                  /* after a NUL */

static void malformed_text_is_refused_where_asked(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_with("bert_st", "{\"invalid_utf8\": \"error\"}");
  float out[3 * kDimension];
  int32_t ids[16], begins[16], ends[16], types[16], count = 7;
  for (int i = 0; i < 3 * kDimension; ++i) out[i] = 7;
  for (size_t i = 0; i < sizeof kMalformed / sizeof *kMalformed; ++i) {
    const struct malformed *bad = &kMalformed[i];
    char place[64];
    const char *texts[3] = {"the cat sat", "caf\xc3\xa9 \xef\xbf\xbd",
                            bad->text}; /* a genuine U+FFFD is an ordinary character */
    const int64_t lengths[3] = {11, 9, bad->length};
    snprintf(place, sizeof place, "texts[2] is not valid UTF-8 at byte %d ", (int)bad->at);
    expect_error(cs_encode(model, texts, lengths, 3, NULL, out, 3 * kDimension, &error),
                 CS_ERROR_FORMAT, place);
    char data[64];
    memcpy(data, "the cat", 7);
    memcpy(data + 7, bad->text, (size_t)bad->length);
    const int32_t offsets[3] = {0, 7, 7 + (int32_t)bad->length};
    snprintf(place, sizeof place, "texts[1] is not valid UTF-8 at byte %d ", (int)bad->at);
    expect_error(cs_encode_packed(model, data, offsets, 2, NULL, out, 2 * kDimension, &error),
                 CS_ERROR_FORMAT, place);
    snprintf(place, sizeof place, "at byte %d ", (int)bad->at);
    expect_error(cs_tokenize(model, bad->text, bad->length, 0, ids, NULL, NULL, 16, &count, &error),
                 CS_ERROR_FORMAT, place);
    expect_error(cs_tokenize(model, bad->text, bad->length, 0, ids, begins, ends, 16, &count,
                             &error),
                 CS_ERROR_FORMAT, place);
    expect_error(cs_tokenize_pair(model, "the", 3, bad->text, bad->length, 0, ids, types, 16,
                                  &count, &error),
                 CS_ERROR_FORMAT, "text b");
    expect_error(cs_tokenize_pair(model, bad->text, bad->length, "the", 3, 0, ids, types, 16,
                                  &count, &error),
                 CS_ERROR_FORMAT, "text a");
  }
  for (int i = 0; i < 3 * kDimension; ++i) assert_true(out[i] == 7);
  assert_int_equal(count, 7);
  cs_model_free(model);
}

static void strictness_changes_nothing_else(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_with("bert_st", "{}"),
           *strict = load_with("bert_st", "{\"invalid_utf8\": \"error\"}");
  const char *texts[4] = {"the cat sat", "caf\xc3\xa9 \xef\xbf\xbd", "a\0b", ""};
  const int64_t lengths[4] = {11, 9, 3, 0};
  float expected[4 * kDimension], actual[4 * kDimension];
  expect_ok(cs_encode(model, texts, lengths, 4, NULL, expected, 4 * kDimension, &error));
  expect_ok(cs_encode(strict, texts, lengths, 4, NULL, actual, 4 * kDimension, &error));
  assert_memory_equal(actual, expected, sizeof expected);

  /* The position in the message is that in the text, not in the batch. A copy is as strict. */
  cs_model *copy = cs_model_snapshot(strict, &error);
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.prompt = "query: ";
  const char *bad = "the \xff";
  expect_error(cs_encode(copy, &bad, NULL, 1, &options, actual, kDimension, &error),
               CS_ERROR_FORMAT, "texts[0] is not valid UTF-8 at byte 4 ");
  options.prompt = "que\xffry: ";
  expect_error(cs_encode(copy, texts, NULL, 1, &options, actual, kDimension, &error),
               CS_ERROR_FORMAT, "at byte 3 ");

  char *info = cs_model_info(strict, &error), *other = cs_model_info(model, &error),
       *keys = cs_config_describe("model", &error);
  assert_non_null(strstr(info, "\"invalid_utf8\":\"error\""));
  assert_non_null(strstr(other, "\"invalid_utf8\":\"replace\""));
  assert_non_null(strstr(keys, "\"key\":\"invalid_utf8\""));
  cs_string_free(info);
  cs_string_free(other);
  cs_string_free(keys);
  cs_config *config = cs_config_parse("{\"invalid_utf8\": \"strict\"}", &error);
  expect_error(cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", config, &error),
               CS_ERROR_ARGUMENT, "replace, error");
  cs_config_free(config);
  cs_model_free(copy);
  cs_model_free(strict);
  cs_model_free(model);
}

static void a_batch_with_malformed_text_is_refused_and_the_run_goes_on(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_with("bert_st", "{\"invalid_utf8\": \"error\"}");
  const char *const pairs[6] = {"the cat sat",    "a cat sits",    "a dog runs",
                                "the d\xc3g ran", "two birds fly", "birds in the air"};
  const char *const methods[2] = {"clsr", "mnrl"};
  for (int i = 0; i < 2; ++i) {
    char json[128];
    snprintf(json, sizeof json, "{\"method\": \"%s\", \"max_steps\": 3, \"batch_size\": 3}",
             methods[i]);
    cs_config *config = cs_config_parse(json, &error);
    cs_trainer *trainer = cs_trainer_new(model, NULL, config, &error);
    if (trainer == NULL) fail_msg("%s", cs_error_message(error));
    expect_error(cs_train_batch(trainer, pairs, NULL, 3, 2, NULL, NULL, &error), CS_ERROR_FORMAT,
                 "not valid UTF-8 at byte 5 ");
    assert_true(cs_trainer_metric(trainer, "step") == 0);
    expect_ok(cs_train_batch(trainer, (const char *const[]){"the cat", "a cat", "a dog", "the dog"},
                             NULL, 2, 2, NULL, NULL, &error));
    assert_true(cs_trainer_metric(trainer, "step") == 1);
    cs_trainer_free(trainer);
    cs_config_free(config);
  }
  cs_model_free(model);
}

static int32_t tokens_of(const cs_model *model, const char *text, int64_t length, int32_t *ids,
                         int32_t capacity) {
  cs_error *error = NULL;
  int32_t count = 0;
  expect_ok(cs_tokenize(model, text, length, 0, ids, NULL, NULL, capacity, &count, &error));
  return count;
}

static void nul_is_a_character(void **state) {
  (void)state;
  cs_model *bert = load_with("bert_st", "{}"),
           *roberta = load_with("roberta_hf", "{\"pooling\": \"mean\"}");
  int32_t with[64], without[64];
  /* BERT's cleaning removes a NUL, as in Hugging Face's tokenizers, but keeps what follows it. */
  int32_t count = tokens_of(bert, "the\0cat sat\0", 12, with, 64);
  assert_int_equal(tokens_of(bert, "thecat sat", 10, without, 64), count);
  assert_memory_equal(with, without, (size_t)count * sizeof *with);
  assert_int_equal(tokens_of(bert, "\0\0\0", 3, with, 64), 2);
  /* A byte-level vocabulary has its own token for it. */
  count = tokens_of(roberta, "a\0b", 3, with, 64);
  assert_int_equal(count, tokens_of(roberta, "a", 1, without, 64) + 2);
  assert_int_equal(with[1], without[1]);
  cs_model_free(roberta);
  cs_model_free(bert);
}

/* Texts of ten million bytes. */
enum { kHuge = 10000000 };
static char *repeat(const char *unit, size_t begin_length, const char *begin) {
  char *text = malloc(kHuge);
  assert_non_null(text);
  memcpy(text, begin, begin_length);
  const size_t length = strlen(unit);
  for (size_t at = begin_length; at < kHuge; ++at) text[at] = unit[(at - begin_length) % length];
  return text;
}

static void huge_texts_cost_what_they_are_long(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *models[2] = {load_with("bert_st", "{}"),
                         load_with("roberta_hf", "{\"pooling\": \"mean\"}")};
  const char *const units[] = {"a",    "the cat sat ", "\xcc\x81", " ",
                               "\x01", "\xe4\xb8\xad", "\xff",     "[MASK]"};
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
    char *text = repeat(units[i], 1, "e");
    for (int m = 0; m < 2; ++m) {
      const int64_t length = kHuge;
      float vector[64];
      int32_t count = -1;
      cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
      options.token_counts = &count;
      const int32_t dimension = cs_model_dimension(models[m]);
      assert_true(dimension > 0 && dimension <= 64);
      expect_ok(cs_encode(models[m], (const char *const *)&text, &length, 1, &options, vector,
                          dimension, &error));
      for (int32_t d = 0; d < dimension; ++d) assert_true(isfinite(vector[d]));
      /* WordPiece turns each MiB of the word into one unknown token. Cats are counted, and cut. */
      if (m == 0 && strcmp(units[i], "a") == 0) assert_int_equal(count, 2 + 10);
      if (strcmp(units[i], "the cat sat ") == 0)
        assert_true(count > 2000000 && count > cs_model_max_length(models[m]));
    }
    free(text);
  }
  getrusage(RUSAGE_SELF, &after);
  /* Processor seconds on a possibly busy machine. Quadratic time would take days. */
  assert_true(after.ru_utime.tv_sec - before.ru_utime.tv_sec < 240);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  /* Kilobytes: 150 times the size of one text. */
  assert_true(after.ru_maxrss - before.ru_maxrss < 1500000);
#endif
  for (int m = 0; m < 2; ++m) cs_model_free(models[m]);
}

static void numbers_of_training_are_in_their_ranges(void **state) {
  (void)state;
  cs_error *error = NULL;
  static const struct {
    const char *method, *key, *value;
  } bad[] = {{"clsr", "lr", "nan"},
             {"clsr", "lr", "inf"},
             {"clsr", "lr", "0"},
             {"clsr", "lr", "-0.1"},
             {"clsr", "lr", "1e30"},
             {"clsr", "lr", "1e999"},
             {"clsr", "lr", "0,5"},
             {"clsr", "lr", "0x10"},
             {"clsr", "clsr.temperature", "0"},
             {"clsr", "clsr.temperature", "1e-30"},
             {"simcse", "simcse.temperature", "nan"},
             {"consert", "consert.temperature", "-1"},
             {"clear", "clear.temperature", "0"},
             {"clsr", "batch_size", "0"},
             {"clsr", "batch_size", "1"},
             {"simcse", "batch_size", "1"},
             {"mnrl", "batch_size", "1"},
             {"clsr", "batch_size", "2147483648"},
             {"clsr", "batch_size", "9223372036854775808"},
             {"clsr", "batch_size", "2.5"},
             {"clsr", "warmup_ratio", "1.01"},
             {"clsr", "warmup_steps", "6"},
             {"clsr", "warmup_steps", "-1"},
             {"clsr", "seed", "-1"},
             {"clear", "clear.del_prob", "1.5"},
             {"clear", "clear.subs_prob", "-0.1"},
             {"clear", "clear.span_share", "2"},
             {"consert", "consert.cutoff_rate1", "1.5"},
             {"consert", "consert.cutoff_rate2", "-0.5"},
             {"sgopt", "sgopt.lmax", "1001"},
             {"sgopt", "sgopt.lambda", "nan"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    cs_config *config = cs_config_parse("{\"max_steps\": 5}", &error);
    expect_ok(cs_config_set(config, "method", bad[i].method, &error));
    expect_ok(cs_trainer_check(config, NULL, NULL, &error));
    expect_ok(cs_config_set(config, bad[i].key, bad[i].value, &error));
    expect_error(cs_trainer_check(config, NULL, NULL, &error), CS_ERROR_ARGUMENT, bad[i].key);
    cs_config_free(config);
  }
}

static void predicting_masks_needs_a_mask_token(void **state) {
  (void)state;
  cs_error *error = NULL;
  char folder[] = "contrastive-test-XXXXXX", command[1024];
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command,
           "cp -r '" CONTRASTIVE_FIXTURES "/models/bert_gamma' %s/model && chmod -R u+w %s && sed "
           "-i 's/^\\[MASK\\]$/nomask/' %s/model/vocab.txt",
           folder, folder, folder);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "%s/model", folder);
  cs_config *config = cs_config_parse("{\"pooling\": \"mean\"}", &error);
  cs_model *model = cs_model_load(command, config, &error);
  if (model == NULL) fail_msg("%s", cs_error_message(error));
  cs_config_free(config);
  config = cs_config_parse("{\"method\": \"clear\", \"max_steps\": 2, \"batch_size\": 2}", &error);
  expect_error(cs_trainer_new(model, NULL, config, &error), CS_ERROR_ARGUMENT, "no mask token");
  cs_config_free(config);
  config = cs_config_parse("{\"method\": \"simcse\", \"max_steps\": 2, \"batch_size\": 2}", &error);
  cs_trainer *trainer = cs_trainer_new(model, NULL, config, &error);
  assert_non_null(trainer); /* methods without masks do not need one */
  cs_trainer_free(trainer);
  cs_config_free(config);
  cs_model_free(model);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void texts_cannot_be_longer_than_the_model(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_with("bert_st", "{}"); /* it has 40 positions */
  const char *const methods[] = {"clear", "consert", "simcse", "sgopt", "mnrl"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    char json[160];
    snprintf(json, sizeof json,
             "{\"method\": \"%s\", \"max_steps\": 2, \"batch_size\": 2, \"%s.max_length\": 41}",
             methods[i], methods[i]);
    cs_config *config = cs_config_parse(json, &error);
    expect_error(cs_trainer_new(model, NULL, config, &error), CS_ERROR_ARGUMENT, "41");
    cs_config_free(config);
  }
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.max_length = 41;
  expect_error(cs_encode_dimension(model, &options, &error), CS_ERROR_ARGUMENT, "41");
  cs_model_free(model);
}

/* One thread embeds with the model that another one trains from. The model must not change. */
struct reader {
  cs_model *model;
  float expected[kDimension];
  int done, calls, wrong;
};

static void *embed_meanwhile(void *argument) {
  struct reader *reader = argument;
  const char *text = "the cat sat";
  while (!__atomic_load_n(&reader->done, __ATOMIC_ACQUIRE) || reader->calls == 0) {
    float out[kDimension];
    const cs_status status = cs_encode(reader->model, &text, NULL, 1, NULL, out, kDimension, NULL);
    reader->wrong += status != CS_OK || memcmp(out, reader->expected, sizeof out) != 0;
    ++reader->calls;
  }
  return NULL;
}

static void a_model_embeds_while_it_is_trained_from(void **state) {
  (void)state;
  cs_error *error = NULL;
  struct reader reader;
  memset(&reader, 0, sizeof reader);
  reader.model = load_with("bert_st", "{}");
  const char *text = "the cat sat";
  expect_ok(cs_encode(reader.model, &text, NULL, 1, NULL, reader.expected, kDimension, &error));
  cs_config *config = cs_config_parse(
      "{\"method\": \"simcse\", \"max_steps\": 20, \"batch_size\": 4, \"lr\": 0.01}", &error);
  cs_trainer *trainer = cs_trainer_new(reader.model, NULL, config, &error);
  assert_non_null(trainer);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, embed_meanwhile, &reader), 0);
  const char *const texts[4] = {"the cat sat", "a dog runs", "two birds fly", "the old house"};
  for (int i = 0; i < 20; ++i)
    expect_ok(cs_train_batch(trainer, texts, NULL, 4, 1, NULL, NULL, &error));
  __atomic_store_n(&reader.done, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  assert_int_equal(reader.wrong, 0);
  cs_model *trained = cs_trainer_model(trainer, 0, &error);
  float after[kDimension];
  expect_ok(cs_encode(trained, &text, NULL, 1, NULL, after, kDimension, &error));
  assert_memory_not_equal(after, reader.expected, sizeof after); /* the test compared something */
  cs_model_free(trained);
  cs_trainer_free(trainer);
  cs_config_free(config);
  cs_model_free(reader.model);
}

static void configs_have_a_largest_size(void **state) {
  (void)state;
  cs_error *error = NULL;
  const size_t size = (size_t)65 << 20; /* one string, a megabyte above what a config may be */
  char *json = malloc(size + 1);
  assert_non_null(json);
  memset(json, 'a', size);
  memcpy(json, "{\"x-note\":\"", 11);
  memcpy(json + size - 2, "\"}", 3);
  expect_error(cs_config_parse(json, &error), CS_ERROR_LIMIT, "above the limit of 67108864");
  free(json);
}

/* A host with a decimal comma. The test builds the locale, because few machines have one
 * installed. */
static void a_decimal_comma_of_the_host_changes_nothing(void **state) {
  (void)state;
  cs_error *error = NULL;
  char folder[] = "contrastive-locale-XXXXXX", command[256];
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
           folder);
  const int made = system(command);
  setenv("LOCPATH", folder, 1);
  const int set = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
  char number[32];
  snprintf(number, sizeof number, "%.1f", 0.5);
  const int comma = strcmp(number, "0,5") == 0;
  char *json = NULL, *dumped = NULL;
  cs_config *config =
      cs_config_parse("{\"method\": \"clsr\", \"max_steps\": 3, \"batch_size\": 2, \"lr\": 0.25}",
                      &error);
  cs_model *model = load_with("bert_st", "{}");
  assert_int_equal(cs_config_set(config, "clsr.temperature", "0.125", &error), CS_OK);
  cs_trainer *trainer = cs_trainer_new(model, NULL, config, &error);
  json = cs_config_to_json(config, &error);
  if (trainer != NULL) dumped = cs_trainer_config(trainer, &error);
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  assert_non_null(trainer);
  assert_string_equal(json, "{\"batch_size\":2,\"clsr.temperature\":0.125,\"lr\":0.25,\"max_"
                            "steps\":3,\"method\":\"clsr\"}");
  assert_non_null(strstr(dumped, "\"clsr.temperature\":0.125"));
  cs_string_free(dumped);
  cs_string_free(json);
  cs_trainer_free(trainer);
  cs_config_free(config);
  cs_model_free(model);
  if (!comma) {
    print_message("skipped: no locale with a decimal comma (localedef %s, setlocale %s)\n",
                  made == 0 ? "made one" : "failed", set ? "took it" : "did not");
    skip();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      leak_checked(malformed_text_is_refused_where_asked),
      leak_checked(strictness_changes_nothing_else),
      leak_checked(a_batch_with_malformed_text_is_refused_and_the_run_goes_on),
      leak_checked(nul_is_a_character),
      leak_checked(huge_texts_cost_what_they_are_long),
      leak_checked(numbers_of_training_are_in_their_ranges),
      leak_checked(predicting_masks_needs_a_mask_token),
      leak_checked(texts_cannot_be_longer_than_the_model),
      leak_checked(a_model_embeds_while_it_is_trained_from),
      leak_checked(configs_have_a_largest_size),
      leak_checked(a_decimal_comma_of_the_host_changes_nothing)};
  return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
