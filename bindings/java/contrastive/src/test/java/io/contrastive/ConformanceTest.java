package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the cases that every language runs (tests/conformance/cases.json), checks what each expects,
 * and writes the results to build/conformance/java.jsonl. They are compared bit for bit with those
 * of C, C#, Go and Rust.
 */
class ConformanceTest {
  private static final Path ROOT =
      Path.of(System.getProperty("contrastive.root")).toAbsolutePath().normalize();
  private static final Path HERE = ROOT.resolve("tests/conformance");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<Integer, ObjectNode> RESULTS = new TreeMap<>();
  private static JsonNode cases;

  @TempDir Path folder;

  @BeforeAll
  static void read() throws IOException {
    cases = JSON.readTree(HERE.resolve("cases.json").toFile());
    Library.setThreads(1);
  }

  @AfterAll
  static void write() throws IOException {
    Library.setThreads(0);
    Path file = ROOT.resolve("build/conformance/java.jsonl");
    Files.createDirectories(file.getParent());
    Files.write(file, RESULTS.values().stream().map(JsonNode::toString).toList());
  }

  @AfterEach
  void nothingLeaks() throws InterruptedException {
    assertTrue(
        Fixtures.collectUntil(() -> Library.liveHandles() == 0),
        Library.liveHandles() + " native objects are left");
  }

  @TestFactory
  Stream<DynamicTest> cases() {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode each : cases.get("cases")) {
      int number = tests.size();
      tests.add(
          DynamicTest.dynamicTest(
              text(each, "name"),
              () -> {
                ObjectNode line = JSON.createObjectNode().put("case", text(each, "name"));
                run(each, line);
                RESULTS.put(number, line);
              }));
    }
    assertTrue(tests.size() > 50, "only " + tests.size() + " cases were found");
    return tests.stream();
  }

  private void run(JsonNode each, ObjectNode line) throws Exception {
    switch (text(each, "kind")) {
      case "tokenize" -> tokenize(each, line);
      case "encode" -> {
        try (SentenceEncoder encoder = load(text(each, "model"))) {
          encode(encoder, each, line);
        }
      }
      case "save" -> save(each, line);
      case "error" -> refuse(each, line);
      case "train" -> train(each, line);
      default -> throw new IllegalArgumentException("kind " + each.get("kind") + " is unknown");
    }
  }

  private static void tokenize(JsonNode each, ObjectNode line) {
    try (SentenceEncoder encoder = load(text(each, "model"))) {
      String words = named(text(each, "text"));
      Tokens tokens = encoder.tokenize(words);
      expect(each, line, "ids", tokens.ids());
      if (!each.has("begins")) return;
      expect(each, line, "begins", characters(words, tokens.begins()));
      expect(each, line, "ends", characters(words, tokens.ends()));
    }
  }

  private static void expect(JsonNode each, ObjectNode line, String key, int[] found) {
    JsonNode list = JSON.valueToTree(found);
    assertEquals(each.get(key), list, key);
    line.set(key, list);
  }

  /** Converts indices in chars to indices in characters. */
  private static int[] characters(String words, int[] places) {
    return Arrays.stream(places)
        .map(place -> place < 0 ? place : words.codePointCount(0, place))
        .toArray();
  }

  private static void encode(SentenceEncoder encoder, JsonNode each, ObjectNode line)
      throws Exception {
    float[][] vectors =
        encoder.encode(texts(each.get("texts")).stream().map(ConformanceTest::named).toList());
    ByteBuffer bytes =
        ByteBuffer.allocate(vectors.length * vectors[0].length * Float.BYTES)
            .order(ByteOrder.nativeOrder());
    for (int i = 0; i < vectors.length; i++) {
      JsonNode start = each.get("starts").get(i);
      for (int j = 0; j < start.size(); j++)
        assertEquals(start.get(j).asDouble(), vectors[i][j], 2e-5);
      for (float value : vectors[i]) bytes.putFloat(value);
    }
    line.put("sha256", sha256(bytes.array()));
  }

  /** Saves a model, loads it again, and compares it and each file of its folder. */
  private void save(JsonNode each, ObjectNode line) throws Exception {
    Path saved = folder.resolve("saved-" + text(each, "model"));
    try (SentenceEncoder encoder = load(text(each, "model"))) {
      encoder.save(saved);
    }
    try (SentenceEncoder again = SentenceEncoder.load(saved)) {
      encode(again, each, line);
    }
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> found = Files.walk(saved)) {
      for (Path file : found.filter(Files::isRegularFile).toList())
        files.put(saved.relativize(file).toString(), sha256(Files.readAllBytes(file)));
    }
    line.set("files", JSON.valueToTree(files));
  }

  private void refuse(JsonNode each, ObjectNode line) throws Exception {
    ContrastiveException failure = assertThrows(ContrastiveException.class, call(each));
    assertEquals(text(each, "status"), failure.kind().name(), failure.getMessage());
    assertTrue(failure.getMessage().contains(text(each, "message")), failure.getMessage());
    line.put("status", failure.kind().name());
    line.put("message_sha256", sha256(failure.getMessage().getBytes(StandardCharsets.UTF_8)));
  }

  /** The calls that must be refused. Their other arguments are valid. */
  private static Executable call(JsonNode each) {
    return switch (text(each, "call")) {
      case "load" -> () -> SentenceEncoder.load(fixture(each), config(each));
      case "parse" -> () -> Config.parse(text(each, "json"));
      case "describe" -> () -> Config.describe(text(each, "topic"));
      case "open_dataset" -> () -> Dataset.open(HERE.resolve(text(each, "file")), config(each));
      case "create" -> () -> SentenceEncoder.create(config(each));
      case "search" ->
          () -> {
            Vectors vector = Vectors.of(new float[] {1, 0}, 2);
            Search.nearest(vector, vector, each.get("k").asInt(), Metric.COSINE, null);
          };
      case "encode_text", "tokenize_text" ->
          () -> {
            try (SentenceEncoder encoder = load(text(each, "model"))) {
              String words = named(text(each, "text"));
              if (text(each, "call").equals("encode_text")) encoder.encode(words);
              else encoder.tokenize(words);
            }
          };
      case "calibrate_nan" -> () -> Quantize.calibrate(Vectors.of(new float[] {1, Float.NaN}, 2));
      default ->
          () -> {
            try (SentenceEncoder encoder = load("bert")) {
              callWith(encoder, each);
            }
          };
    };
  }

  private static void callWith(SentenceEncoder encoder, JsonNode each) {
    switch (text(each, "call")) {
      case "encode" -> {
        EncodeOptions options =
            EncodeOptions.defaults()
                .withPooling(text(each, "pooling"))
                .withTruncateDim(each.get("truncate_dim").asInt());
        encoder.encode(List.of("the cat"), options, new float[8192]);
      }
      case "tokenize" -> encoder.tokenize("the cat", each.get("max_length").asInt());
      case "evaluate" -> {
        Config config = config(each);
        JsonNode data = each.get("config").get("data");
        encoder.evaluate(
            text(each, "task"),
            data == null ? config : config.with("data", HERE.resolve(data.asText())));
      }
      case "trainer", "step_without_data" -> {
        try (Dataset data = each.has("data") ? dataset(text(each, "data")) : null;
            Trainer trainer = Trainer.start(encoder, data, config(each))) {
          if (text(each, "call").equals("step_without_data")) trainer.step();
        }
      }
      default -> throw new IllegalArgumentException("call " + each.get("call") + " is unknown");
    }
  }

  private void train(JsonNode each, ObjectNode line) throws Exception {
    boolean step = text(each, "through").equals("step");
    List<Example> rows = rows(text(each, "data"));
    Path output = folder.resolve(text(each, "name"));
    Files.createDirectories(output.getParent());
    try (SentenceEncoder encoder = load(text(each, "model"));
        Dataset data = step ? dataset(text(each, "data")) : null;
        Trainer trainer = Trainer.start(encoder, data, config(each))) {
      for (int i = 0; i < each.get("steps").asInt(); i++) {
        List<Example> batch =
            new ArrayList<>(); // update i uses examples 4i .. 4i + 3, modulo their number
        for (int k = 0; k < 4; k++) batch.add(rows.get((4 * i + k) % rows.size()));
        assertTrue(step ? trainer.step() : trainer.batch(batch));
      }
      double expected = each.get("loss").asDouble();
      assertEquals(expected, trainer.metric("loss"), 2e-2 * (1 + Math.abs(expected)));
      trainer.saveBest(output);
    }
    line.put("sha256", sha256(Files.readAllBytes(output.resolve("model.safetensors"))));
  }

  private static Path fixture(JsonNode each) {
    return ROOT.resolve("tests/fixtures").resolve(text(each, "folder"));
  }

  private static SentenceEncoder load(String name) {
    JsonNode model = cases.get("models").get(name);
    return SentenceEncoder.load(fixture(model), config(model));
  }

  private static Config config(JsonNode each) {
    return Config.parse(each.get("config").toString());
  }

  private static List<Example> rows(String data) {
    return StreamSupport.stream(cases.get("data").get(data).spliterator(), false)
        .map(row -> new Example(texts(row), Double.NaN))
        .toList();
  }

  private static Dataset dataset(String name) {
    Dataset data = Dataset.create();
    rows(name).forEach(data::add);
    return data;
  }

  private static String text(JsonNode each, String member) {
    return each.get(member).asText();
  }

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  /**
   * A text of the cases by its name. Texts given as UTF-16 are kept, because a String can contain
   * them. In other texts, U+FFFD replaces invalid UTF-8 where the library would read it. Java does
   * the same with one exception: the three bytes of an encoded surrogate are three errors to the
   * library (and Python), but one to Java.
   */
  private static String named(String name) {
    JsonNode text = cases.get("texts").get(name);
    if (text.has("utf16")) {
      StringBuilder units = new StringBuilder();
      for (String unit : text(text, "utf16").split("(?<=\\G.{4})"))
        units.append((char) Integer.parseInt(unit, 16));
      return units.toString();
    }
    if (!text.has("hex")) return text(text, "text").repeat(text.path("times").asInt(1));
    byte[] bytes = HexFormat.of().parseHex(text(text, "hex"));
    for (int i = 0; i + 2 < bytes.length; i++) {
      if ((bytes[i] & 0xFF) == 0xED && (bytes[i + 1] & 0xFF) >= 0xA0)
        Arrays.fill(bytes, i, i + 3, (byte) 0xFF);
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
