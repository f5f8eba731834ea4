package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

/** The error for a null argument names the argument. */
@ExtendWith(LeakCheck.class)
class NullTest {
  private final Map<Executable, String> calls = new LinkedHashMap<>();

  private void names(String message, Executable call) {
    calls.put(call, message);
  }

  @Test
  void everyArgumentThatMustNotBeNullIsNamed() {
    Config none = Config.empty();
    float[] vector = {1, 2};
    float[][] rows = {vector};
    Vectors vectors = Vectors.of(rows);
    Path path = Path.of("nowhere");
    EncodeOptions options = EncodeOptions.defaults();
    RerankOptions scoring = RerankOptions.defaults();
    try (SentenceEncoder encoder = Fixtures.encoder();
        Reranker reranker = Reranker.load(Fixtures.RERANKERS.resolve("bert"));
        Trainer trainer = Trainer.start(encoder, null, Fixtures.CLSR);
        Dataset data = Dataset.create()) {
      names("json is null", () -> Config.parse(null));
      names("keysAndValues is null", () -> Config.of((Object[]) null));
      names("a key is null", () -> Config.of(null, 1));
      names("the value of a is null", () -> Config.of("a", null));
      names("entries is null", () -> Config.of((Map<String, ?>) null));
      names("key is null", () -> none.with(null, 1));
      names("other is null", () -> none.with(null));
      names("typed is null", () -> none.withTyped("a", null));
      names("topic is null", () -> Config.describe(null));
      names("texts is null", () -> Dataset.of(null));
      names("texts is null", () -> new Example(null, 0));
      names("text is null", () -> Dataset.of(Arrays.asList("a", null)));
      names("file is null", () -> Dataset.open(null));
      names("text is null", () -> data.add((String) null));
      names("example is null", () -> data.add((Example) null));
      names("a is null", () -> data.add(null, "b"));
      names("b is null", () -> Example.pair("a", null));
      names("texts[1] is null", () -> new Example(Arrays.asList("a", null), 0));
      names("positive is null", () -> Example.withNegatives("a", null));
      names("negatives is null", () -> Example.withNegatives("a", "b", (String[]) null));
      names("texts[3] is null", () -> Example.withNegatives("a", "b", "c", null));
      names("sink is null", () -> Log.setSink(null, Log.Level.INFO));
      names("lowest is null", () -> Log.setSink((level, message) -> {}, null));
      names("lowest is null", () -> Log.toSystemLogger(null));
      names("sample is null", () -> Quantize.calibrate(null));
      names("vectors is null", () -> Quantize.float16(null));
      names("vectors is null", () -> Quantize.int8(null, new Quantize.Calibration(vector, vector)));
      names("calibration is null", () -> Quantize.int8(vectors, null));
      names("vectors is null", () -> Quantize.binary(null));
      names("starts is null", () -> new Quantize.Calibration(null, vector));
      names("steps is null", () -> new Quantize.Calibration(vector, null));
      names("queries is null", () -> Search.nearest(null, rows, 1, Metric.DOT));
      names("corpus is null", () -> Search.nearest(rows, null, 1, Metric.DOT));
      names("metric is null", () -> Search.nearest(rows, rows, 1, null));
      names("queries is null", () -> Search.nearest(null, vectors, 1, Metric.DOT, null));
      names("corpus is null", () -> Search.nearest(vectors, null, 1, Metric.DOT, null));
      names("rows[0] is null", () -> Search.nearest(new float[1][], new float[0][], 1, Metric.DOT));
      names("folder is null", () -> SentenceEncoder.load(null));
      names("folder is null", () -> Reranker.load(null));
      names("folder is null", () -> reranker.save(null));
      names("query is null", () -> reranker.score(null, List.of("a")));
      names("documents is null", () -> reranker.rank("a", null));
      names("texts[1] is null", () -> reranker.score("a", Arrays.asList((String) null)));
      names("first is null", () -> reranker.scorePairs(null, List.of(), scoring));
      names("second is null", () -> reranker.scorePairs(List.of(), null, scoring));
      names("options is null", () -> reranker.scorePairs(List.of(), List.of(), null));
      names("progress is null", () -> new Cancel(null));
      names("texts is null", () -> encoder.encode((Stream<String>) null, options));
      names("options is null", () -> encoder.encode(Stream.of("a"), null));
      names("texts is null", () -> encoder.encodeAsync(null, options));
      names("options is null", () -> encoder.encodeAsync(List.of("a"), null));
      names("executor is null", () -> encoder.encodeAsync(List.of("a"), options, null));
      names("encoder is null", () -> Index.of((SentenceEncoder) null, List.of("a")));
      names("texts is null", () -> Index.of(encoder, null));
      names("options is null", () -> Index.of(encoder, List.of("a"), null));
      names("texts is null", () -> Index.of(null, rows));
      names("vectors is null", () -> Index.of(List.of("a"), null));
      names("query is null", () -> Index.of(List.of("a"), rows).search(null, 1, Metric.DOT));
      names("folder is null", () -> Index.of(List.of("a"), rows).save(null));
      names("folder is null", () -> Index.load(null));
      names("file is null", () -> Npy.save(null, rows));
      names("vectors is null", () -> Npy.save(path, (Vectors) null));
      names("file is null", () -> Npy.load(null));
      names("out is null", () -> Npy.load(path, null));
      names("recipe is null", () -> SentenceEncoder.create(null));
      names("folder is null", () -> encoder.save(null));
      names("options is null", () -> encoder.dimension(null));
      names("text is null", () -> encoder.encode((String) null));
      names("texts is null", () -> encoder.encode((List<String>) null));
      names("texts[0] is null", () -> encoder.encode(Arrays.asList((String) null)));
      names("texts[2] is null", () -> encoder.encode(Arrays.asList("a", "b", null)));
      names("options is null", () -> encoder.encode(List.of("a"), null));
      names("options is null", () -> encoder.encode(List.of("a"), null, vector));
      names("options is null", () -> encoder.encode(List.of("a"), null, Vectors.allocate(1, 32)));
      names("out is null", () -> encoder.encode(List.of("a"), options, (float[]) null));
      names("out is null", () -> encoder.encode(List.of("a"), options, (FloatBuffer) null));
      names("task is null", () -> encoder.evaluate(null, none));
      names("config is null", () -> encoder.evaluate("sts", null));
      names("text is null", () -> encoder.tokenize(null));
      names("a is null", () -> encoder.tokenizePair(null, "b", 0));
      names("b is null", () -> encoder.tokenizePair("a", null, 0));
      names("a is null", () -> Similarity.cosine(null, vector));
      names("b is null", () -> Similarity.cosine(vector, null));
      names("metric is null", () -> Similarity.score(vector, vector, null));
      names("a is null", () -> Similarity.matrix(null, rows, Metric.DOT));
      names("b is null", () -> Similarity.matrix(rows, null, Metric.DOT));
      names("metric is null", () -> Similarity.matrix(rows, rows, null));
      names("a is null", () -> Similarity.matrix(null, vectors, Metric.DOT));
      names("b is null", () -> Similarity.matrix(vectors, null, Metric.DOT));
      names("out is null", () -> Similarity.matrix(vectors, vectors, Metric.DOT, null));
      names("encoder is null", () -> Trainer.start(null, data, none));
      names("config is null", () -> Trainer.start(encoder, data, null));
      names("config is null", () -> Trainer.check(null));
      names("folder is null", () -> Trainer.resume(null, encoder, data, none));
      names("encoder is null", () -> Trainer.resume(path, null, data, none));
      names("goOn is null", () -> trainer.run(null));
      names("examples is null", () -> trainer.batch(null));
      names(
          "examples[1] is null",
          () -> trainer.batch(new ArrayList<>(Arrays.asList(Example.of("a"), null))));
      names("name is null", () -> trainer.metric(null));
      names("folder is null", () -> trainer.save(null));
      names("folder is null", () -> trainer.saveBest(null));
      names("pairs is null", () -> encoder.mine(null, null, path, none));
      names("output is null", () -> encoder.mine(data, null, null, none));
      names("input is null", () -> Vocabulary.train(null, path));
      names("output is null", () -> Vocabulary.train(path, null));
      names("rows is null", () -> Vectors.of((float[][]) null));
      names("rows[1] is null", () -> Vectors.of(new float[][] {vector, null}));
      names("flat is null", () -> Vectors.of((float[]) null, 1));
      names("buffer is null", () -> Vectors.of((FloatBuffer) null, 1));
      names("json is null", () -> new Report(null));
      names("path is null", () -> new Report("{}").number((String[]) null));
      calls.forEach(
          (call, message) ->
              assertEquals(
                  message, assertThrows(NullPointerException.class, call, message).getMessage()));
    }
  }
}
