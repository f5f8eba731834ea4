package io.contrastive;

import java.nio.file.Path;
import java.util.List;

/**
 * Training examples: a file of them, read when they are needed, or what was added. All examples of
 * a dataset are of one kind. For one thread at a time; a trainer that uses a dataset keeps what it
 * needs when the dataset is closed, and does not let it grow.
 */
public final class Dataset implements AutoCloseable {
  private final NativeHandle handle;

  private Dataset(long data) {
    handle = new NativeHandle("Dataset", data, Native::cs_dataset_free);
  }

  /** An empty dataset, to be filled. */
  public static Dataset create() {
    return new Dataset(Native.cs_dataset_new());
  }

  /** A dataset of texts, each an example of its own. */
  public static Dataset of(List<String> texts) {
    ContrastiveException.required(texts, "texts");
    Dataset data = create();
    try {
      texts.forEach(data::add);
      return data;
    } catch (RuntimeException | Error e) {
      data.close();
      throw e;
    }
  }

  /**
   * Opens a file: one text a line; .tsv with two columns or three, the last a score; or .jsonl. It
   * may be larger than memory.
   */
  public static Dataset open(Path file) {
    return open(file, null);
  }

  /**
   * The same with keys of {@code Config.describe("data")}, such as the file's form and its columns;
   * nullable.
   */
  public static Dataset open(Path file, Config config) {
    ContrastiveException.required(file, "file");
    try (Config.Borrowed borrowed = new Config.Borrowed(config)) {
      return new Dataset(Native.cs_dataset_open(file.toString(), borrowed.handle));
    }
  }

  /** Appends a text. */
  public void add(String text) {
    add(Example.of(text));
  }

  /** Appends a pair. */
  public void add(String a, String b) {
    add(Example.pair(a, b));
  }

  /** Appends an example of any number of texts: one alone, a pair, or a pair and hard negatives. */
  public void add(Example example) {
    Packed texts = Packed.of(ContrastiveException.required(example, "example").texts());
    handle.useInt(
        data ->
            Native.cs_dataset_add_packed(
                data, texts.data, texts.offsets, texts.rows, example.label()));
  }

  /** How many examples there are. */
  public long size() {
    long size = handle.use(Native::cs_dataset_size);
    return size < 0 ? ContrastiveException.checked((int) size, "cs_dataset_size") : size;
  }

  /** Lets the dataset go. Closing again does nothing. */
  @Override
  public void close() {
    handle.close();
  }

  NativeHandle handle() {
    return handle;
  }
}
