/* Configs: parsing, setting, merging, printing, and their errors. */
#include "support.h"

static void expect_json(const cs_config *config, const char *expected) {
  cs_error *error = NULL;
  char *json = cs_config_to_json(config, &error);
  assert_non_null(json);
  assert_string_equal(json, expected);
  cs_string_free(json);
}

static void nested_and_dotted_keys_are_the_same(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_config *config =
      cs_config_parse("{\"method\": \"clsr\", \"clsr\": {\"temperature\": 0.1}, \"a.b\": [1, 2]}",
                      &error);
  assert_non_null(config);
  expect_json(config, "{\"a.b\":[1,2],\"clsr.temperature\":0.1,\"method\":\"clsr\"}");
  cs_config_free(config);
}

static void null_is_an_empty_config(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_config *config = cs_config_parse(NULL, &error);
  assert_non_null(config);
  expect_json(config, "{}");
  cs_config_free(config);
  cs_config_free(NULL);
}

static void values_are_typed_as_on_a_command_line(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_config *config = cs_config_parse("{}", &error);
  expect_ok(cs_config_set(config, "rate", "0.5", &error));
  expect_ok(cs_config_set(config, "name", "lars", &error));
  expect_ok(cs_config_set(config, "flag", "true", &error));
  expect_ok(cs_config_set(config, "list", "[\"a\", 1]", &error));
  expect_ok(cs_config_set(config, "accent", "caf\xc3\xa9", &error));
  expect_ok(cs_config_set(config, "rate", "0.25", &error));
  expect_json(config, "{\"accent\":\"caf\\u00e9\",\"flag\":true,\"list\":[\"a\",1],\"name\":"
                      "\"lars\",\"rate\":0.25}");
  cs_config_free(config);
}

static void merge_lays_one_over_the_other(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_config *below = cs_config_parse("{\"a\": 1, \"b\": 2}", &error),
            *above = cs_config_parse("{\"b\": 3, \"c\": 4}", &error);
  expect_ok(cs_config_merge(below, above, &error));
  expect_json(below, "{\"a\":1,\"b\":3,\"c\":4}");
  expect_json(above, "{\"b\":3,\"c\":4}");
  expect_error(cs_config_merge(below, below, &error), CS_ERROR_ARGUMENT, "itself");
  cs_config_free(below);
  expect_error(cs_config_merge(below, above, &error), CS_ERROR_HANDLE, "config");
  cs_config_free(above);
}

static void malformed_json_names_the_place(void **state) {
  (void)state;
  cs_error *error = NULL;
  expect_error(cs_config_parse("{\"a\": }", &error), CS_ERROR_FORMAT, "byte");
  expect_error(cs_config_parse("{} x", &error), CS_ERROR_FORMAT, "byte");
  expect_error(cs_config_parse("[1]", &error), CS_ERROR_FORMAT, "object");
  expect_error(cs_config_parse("{\"a\": 1, \"a\": 2}", &error), CS_ERROR_FORMAT,
               "the key 'a' appears twice");
  expect_error(cs_config_parse("", &error), CS_ERROR_FORMAT, "config");
  assert_null(cs_config_parse("{", NULL));
}

static void depth_is_limited(void **state) {
  (void)state;
  cs_error *error = NULL;
  enum { kDepth = 100000 };
  char *deep = malloc(5 * kDepth + 2);
  assert_non_null(deep);
  size_t at = 0;
  for (int i = 0; i < kDepth; ++i) at += (size_t)sprintf(deep + at, "{\"a\":");
  deep[at] = 0;
  expect_error(cs_config_parse(deep, &error), CS_ERROR_LIMIT, "64");
  free(deep);
}

static void bad_keys_and_nulls_are_refused(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_config *config = cs_config_parse("{}", &error);
  expect_error(cs_config_set(config, "", "1", &error), CS_ERROR_ARGUMENT, "config key");
  expect_error(cs_config_set(config, "a b", "1", &error), CS_ERROR_ARGUMENT, "a b");
  expect_error(cs_config_set(config, NULL, "1", &error), CS_ERROR_ARGUMENT, "key is NULL");
  expect_error(cs_config_set(config, "a", NULL, &error), CS_ERROR_ARGUMENT, "value is NULL");
  expect_error(cs_config_set(NULL, "a", "1", &error), CS_ERROR_HANDLE, "config is NULL");
  expect_error(cs_config_to_json(NULL, &error), CS_ERROR_HANDLE, "config is NULL");
  expect_json(config, "{}");
  cs_config_free(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(nested_and_dotted_keys_are_the_same),
                                     leak_checked(null_is_an_empty_config),
                                     leak_checked(values_are_typed_as_on_a_command_line),
                                     leak_checked(merge_lays_one_over_the_other),
                                     leak_checked(malformed_json_names_the_place),
                                     leak_checked(depth_is_limited),
                                     leak_checked(bad_keys_and_nulls_are_refused)};
  return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
