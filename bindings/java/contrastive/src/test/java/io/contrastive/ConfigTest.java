package io.contrastive;

import static io.contrastive.ContrastiveException.Kind;
import static io.contrastive.Fixtures.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class ConfigTest {
  @Test
  void everyWayToWriteAConfigIsTheSame() {
    Config expected =
        Config.parse(
            "{\"method\": \"clsr\", \"clsr\": {\"temperature\": 0.05}, \"batch_size\": 64,"
                + " \"data.header\": true}");
    assertEquals(
        expected,
        Config.of(
            "method", "clsr", "clsr.temperature", 0.05, "batch_size", 64, "data.header", true));
    assertEquals(
        expected,
        Config.of(
            Map.of(
                "method",
                "clsr",
                "clsr.temperature",
                0.05,
                "batch_size",
                64,
                "data.header",
                true)));
    assertEquals(
        expected,
        Config.empty()
            .with("method", "lars")
            .with("data.header", true)
            .with(
                Config.of(
                    "method",
                    "clsr",
                    "clsr",
                    Map.of("temperature", Optional.of(0.05)),
                    "batch_size",
                    64)));
    assertEquals(expected.hashCode(), Config.parse(expected.toJson()).hashCode());
    assertNotEquals(expected, expected.with("batch_size", 65));
    assertEquals(64.0, expected.toMap().get("batch_size"));
    assertEquals(true, expected.toMap().get("data.header"));
    assertEquals("{}", Config.empty().toString());
  }

  @Test
  void valuesKeepTheirTypes() {
    Config config =
        Config.of(
            "data.columns",
            List.of(1, "say \"hi\"\n", "é"),
            "data",
            Path.of("a b"),
            "x-mine",
            "a\\b😀");
    assertEquals(List.of(1.0, "say \"hi\"\n", "é"), config.toMap().get("data.columns"));
    assertEquals("a b", config.toMap().get("data"));
    assertEquals("a\\b😀", config.toMap().get("x-mine"));
    assertEquals(1e-5, Config.of("lr", 1e-5).toMap().get("lr"));
    assertEquals((double) (1L << 52), Config.of("seed", 1L << 52).toMap().get("seed"));
  }

  @Test
  void aTextStaysATextAndEverythingElseIsConvertedOrRefused() {
    for (String text : List.of("2026", "1.10", "true", "null", "[1,2]", "{\"a\":1}", "\"7\"", "")) {
      assertEquals(text, Config.of("prompt", text).toMap().get("prompt"));
    }
    assertEquals(
        "{\"a\":[1,2],\"b\":[\"x\",[0.5]],\"c\":\"z\",\"d\":\"p/q\",\"e.f\":1,\"e.g\":true}",
        Config.of(
                "a",
                new int[] {1, 2},
                "b",
                new Object[] {"x", new float[] {0.5f}},
                "c",
                'z',
                "d",
                new File("p/q"),
                "e",
                Config.of("f", BigInteger.ONE, "g", true))
            .toJson());
    assertEquals(0.1, Config.of("a", 0.1f).toMap().get("a"));
    for (Object wrong :
        new Object[] {
          Metric.COSINE,
          Double.NaN,
          Float.POSITIVE_INFINITY,
          Optional.empty(),
          Thread.currentThread(),
          List.of(new Object()),
          Map.of(1, 2),
          new String[] {null}
        }) {
      fails(Kind.ARGUMENT, "config key 'x-a' cannot be set to", () -> Config.of("x-a", wrong));
    }
    assertEquals(
        "{\"a\":3,\"b\":\"lars\"}",
        Config.empty().withTyped("a", "3").withTyped("b", "lars").toJson());
    fails(Kind.ARGUMENT, "a config key is a String", () -> Config.of(1, 2));
  }

  @Test
  void mistakesAreTold() {
    fails(Kind.FORMAT, "", () -> Config.parse("{\"a\": }"));
    fails(Kind.FORMAT, "", () -> Config.parse(""));
    fails(Kind.ARGUMENT, "no value", () -> Config.of("a"));
    fails(Kind.ARGUMENT, "NUL", () -> Config.of("a\0b", 1));
    fails(Kind.ARGUMENT, "NUL", () -> Config.of("a", "b\0"));
    assertThrows(NullPointerException.class, () -> Config.of("a", null));
    assertThrows(NullPointerException.class, () -> Config.parse(null));
  }

  @Test
  void everyKeyIsDescribed() {
    Config.Key temperature =
        Config.describe("clsr").stream()
            .filter(key -> key.key().equals("clsr.temperature"))
            .findFirst()
            .orElseThrow();
    assertEquals("real", temperature.type());
    assertTrue(
        temperature.defaultValue() instanceof Double
            && !temperature.help().isBlank()
            && temperature.range() != null);
    for (String topic :
        List.of(
            "model",
            "recipe",
            "vocabulary",
            "data",
            "train",
            "clsr",
            "sts",
            "retrieval",
            "geometry")) {
      List<Config.Key> keys = Config.describe(topic);
      assertFalse(keys.isEmpty());
      for (Config.Key key : keys)
        assertFalse(
            key.key().isBlank() || key.type().isBlank() || key.help().isBlank(), key.toString());
    }
    fails(Kind.ARGUMENT, "train", () -> Config.describe("no such topic"));
    var all = Config.describeAll();
    assertTrue(
        all.keySet().containsAll(List.of("model", "train", "clsr", "sts")),
        all.keySet().toString());
    assertEquals(Config.describe("clsr"), all.get("clsr"));
  }
}
