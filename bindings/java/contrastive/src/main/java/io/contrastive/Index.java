package io.contrastive;

import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * Texts and their vectors, with an exact search. An index never changes, and any number of threads
 * may use it at once. The vectors are in one direct buffer, outside the heap; {@code
 * -XX:MaxDirectMemorySize} limits it.
 *
 * <pre>{@code
 * Index index = Index.of(encoder, List.of("A fish swims.", "The sun is up."));
 * for (Index.Hit hit : index.search(encoder, "who lives in the sea?", 10)) {
 *   System.out.println(hit.score() + " " + hit.text());
 * }
 * index.save(Path.of("index"));
 * }</pre>
 */
public final class Index {
  private static final String VECTORS = "vectors.npy", TEXTS = "index.json";

  private static final Pattern UNWRITABLE = Pattern.compile("[\\x00\\p{Cs}]");

  private final List<String> texts;
  private final Vectors vectors;
  private final FloatBuffer memory; // of the vectors

  /**
   * A text that a search has found.
   *
   * @param index its position in the index
   * @param text the text
   * @param score the similarity to the query
   */
  public record Hit(int index, String text, float score) {}

  private Index(List<String> texts, FloatBuffer memory, int dimension) {
    this.texts = texts;
    this.memory = memory;
    vectors = Vectors.of(memory, dimension);
    if (texts.size() != vectors.size()) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.MISMATCH,
          "there are " + texts.size() + " texts and " + vectors.size() + " vectors",
          null);
    }
  }

  /** An index of texts that an encoder embeds with the model's default options. */
  public static Index of(SentenceEncoder encoder, List<String> texts) {
    return of(encoder, texts, EncodeOptions.defaults());
  }

  /** An index of texts that an encoder embeds with options, such as the prompt for documents. */
  public static Index of(SentenceEncoder encoder, List<String> texts, EncodeOptions options) {
    int dimension = ContrastiveException.required(encoder, "encoder").dimension(options);
    List<String> own =
        List.of(ContrastiveException.required(texts, "texts").toArray(String[]::new));
    FloatBuffer memory = Vectors.allocate(own.size(), dimension);
    encoder.encode(own, options, memory);
    return new Index(own, memory, dimension);
  }

  /** An index of texts and their vectors, which are copied. */
  public static Index of(List<String> texts, float[][] vectors) {
    Vectors rows = Vectors.of(ContrastiveException.required(vectors, "vectors"));
    FloatBuffer memory = Vectors.allocate(rows.size(), rows.dimension());
    for (float[] row : vectors) memory.put(row);
    List<String> own =
        List.of(ContrastiveException.required(texts, "texts").toArray(String[]::new));
    return new Index(own, memory.flip(), rows.dimension());
  }

  /** The number of texts. */
  public int size() {
    return texts.size();
  }

  /** The number of floats of a vector. */
  public int dimension() {
    return vectors.dimension();
  }

  /** The texts, in order. */
  public List<String> texts() {
    return texts;
  }

  /** The vectors, in the order of the texts, without a copy. Do not change them. */
  public Vectors vectors() {
    return vectors;
  }

  /** A copy of the vector of a text. */
  public float[] vector(int index) {
    float[] vector = new float[dimension()];
    memory.get(index * dimension(), vector);
    return vector;
  }

  /** Finds the texts that are most similar to a query by cosine, best first. */
  public List<Hit> search(SentenceEncoder encoder, String query, int k) {
    ContrastiveException.required(encoder, "encoder");
    return search(encoder.encode(query), k, Metric.COSINE);
  }

  /** Finds the texts whose vectors are most similar to a vector, best first. */
  public List<Hit> search(float[] query, int k, Metric metric) {
    ContrastiveException.required(query, "query");
    Search.Hits found =
        Search.nearest(Vectors.of(query, query.length), vectors, k, metric, null)[0];
    List<Hit> hits = new ArrayList<>(found.size());
    for (int i = 0; i < found.size(); i++) {
      int at = found.indices()[i];
      hits.add(new Hit(at, texts.get(at), found.scores()[i]));
    }
    return hits;
  }

  /**
   * Writes a folder with the files {@code vectors.npy}, for NumPy, and {@code index.json}, which
   * has the texts. The packages of the other languages read it too. Each file is replaced
   * atomically.
   */
  public void save(Path folder) {
    ContrastiveException.required(folder, "folder");
    try {
      Files.createDirectories(folder);
      var lines = new StringJoiner(",\n", "{\"metric\": \"cosine\", \"texts\": [\n", "]}\n");
      for (String text : texts) lines.add(line(text));
      Path written = Files.createTempFile(folder, TEXTS, null);
      try {
        Files.writeString(written, lines.toString());
        Npy.save(folder.resolve(VECTORS), vectors);
        Files.move(written, folder.resolve(TEXTS), StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(written);
      }
    } catch (IOException e) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.IO, folder + " cannot be written: " + e, e);
    }
  }

  /** Reads a folder that {@link #save} wrote. */
  public static Index load(Path folder) {
    ContrastiveException.required(folder, "folder");
    Npy.Shape shape = Npy.shape(folder.resolve(VECTORS));
    FloatBuffer memory = Vectors.allocate(shape.rows(), shape.dimension());
    Npy.load(folder.resolve(VECTORS), memory);
    Path file = folder.resolve(TEXTS);
    try {
      return new Index(texts(file, Files.readString(file)), memory, shape.dimension());
    } catch (NoSuchFileException e) {
      throw ContrastiveException.of(ContrastiveException.Kind.NOT_FOUND, file + " is missing", e);
    } catch (IOException e) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.IO, file + " cannot be read: " + e, e);
    }
  }

  /** Escapes what neither UTF-8 nor JSON can contain: unpaired surrogates and NUL. */
  private static String line(String text) {
    return UNWRITABLE
        .matcher(Json.quote(text))
        .replaceAll(found -> String.format("\\\\u%04x", (int) found.group().charAt(0)));
  }

  private static List<String> texts(Path file, String json) {
    Object metric;
    List<String> texts = new ArrayList<>();
    try {
      Map<String, Object> content = Json.object(json);
      metric = content.get("metric");
      for (Object text : (List<?>) content.get("texts")) texts.add((String) text);
    } catch (RuntimeException e) { // the parser assumes valid JSON
      throw ContrastiveException.of(
          ContrastiveException.Kind.FORMAT, file + " is not the file of an index", e);
    }
    if (!"cosine".equals(metric)) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.UNSUPPORTED,
          file + ": the metric of this index is " + metric + ", and only cosine is supported",
          null);
    }
    return List.copyOf(texts);
  }

  @Override
  public String toString() {
    return "Index[" + size() + " texts, dimension " + dimension() + "]";
  }
}
