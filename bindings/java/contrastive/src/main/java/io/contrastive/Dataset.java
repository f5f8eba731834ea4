package io.contrastive;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Training examples, either in a file, which is read on demand, or added one by one. All examples
 * of a dataset are of one kind. Only one thread at a time may use a dataset. You may close a
 * dataset while a trainer uses it: the trainer keeps what it needs. You cannot add examples while a
 * trainer uses it.
 */
public final class Dataset implements AutoCloseable {
  private final NativeHandle handle;

  private Dataset(long data) {
    handle = new NativeHandle("Dataset", data, Native::cs_dataset_free);
  }

  /** Creates an empty dataset, to which you add examples. */
  public static Dataset create() {
    return new Dataset(Native.cs_dataset_new());
  }

  /** Creates a dataset in which each text is one example. */
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
   * Opens a file: plain text with one text per line; .tsv with two columns, and optionally a third
   * with a score; or .jsonl. The file may be larger than memory.
   */
  public static Dataset open(Path file) {
    return open(file, null);
  }

  /**
   * Opens a file with options.
   *
   * @param config keys of {@code Config.describe("data")}, such as the format and the columns;
   *     nullable
   */
  public static Dataset open(Path file, @Nullable Config config) {
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

  /** Appends an example: one text, a pair, or a pair with hard negatives. */
  public void add(Example example) {
    Packed texts = Packed.of(ContrastiveException.required(example, "example").texts());
    handle.useInt(
        data ->
            Native.cs_dataset_add_packed(
                data, texts.data, texts.offsets, texts.rows, example.label()));
  }

  /** The number of examples. */
  public long size() {
    long size = handle.use(Native::cs_dataset_size);
    return size < 0 ? ContrastiveException.checked((int) size, "cs_dataset_size") : size;
  }

  /** The number of examples, or that the dataset is closed or in use. */
  @Override
  public String toString() {
    try {
      return "Dataset[" + size() + " examples]";
    } catch (ClosedException e) {
      return "Dataset[closed]";
    } catch (ContrastiveException e) {
      return "Dataset[" + e.kind() + "]";
    }
  }

  /** Frees the dataset. Closing again does nothing. */
  @Override
  public void close() {
    handle.close();
  }

  NativeHandle handle() {
    return handle;
  }
}
