package examples.spark;

import io.contrastive.ContrastiveException;
import io.contrastive.EncodeOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.sql.Row;

/**
 * Iterates over the rows of a partition with their embeddings, in order. It reads ahead by one
 * window, so memory does not grow with the partition. The library sorts a window by length and
 * computes it in batches; its option batch_tokens limits their size.
 */
final class EncodedTexts implements Iterator<EncodedText> {
  static final int WINDOW_TEXTS = 2048; // as contrastive encode: enough to sort by length
  private static final int WINDOW_CHARS =
      4 << 20; // a text as long as a book is a window on its own

  private final Iterator<Row> rows; // as SourceRows makes them
  private final EncodeSettings settings;
  private final ExecutorModel model;
  private final Queue<EncodedText> ready = new ArrayDeque<>();

  EncodedTexts(EncodeSettings settings, Iterator<Row> rows) {
    this.rows = rows;
    this.settings = settings;
    model = ExecutorModel.of(settings);
  }

  @Override
  public boolean hasNext() {
    if (ready.isEmpty() && rows.hasNext()) encodeWindow();
    return !ready.isEmpty();
  }

  @Override
  public EncodedText next() {
    if (!hasNext()) throw new NoSuchElementException();
    return ready.remove();
  }

  private void encodeWindow() {
    List<EncodedText> window = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    List<Integer> places = new ArrayList<>(); // where in the window each text belongs
    for (int chars = 0; rows.hasNext() && window.size() < WINDOW_TEXTS && chars < WINDOW_CHARS; ) {
      Row row = rows.next();
      String text = row.getString(SourceRows.TEXT);
      String error =
          text == null
              ? "the text is null"
              : settings.refusesMalformed() && !row.getBoolean(SourceRows.IS_UTF8)
                  ? "the text is not UTF-8"
                  : null;
      window.add(
          EncodedText.rejected(row.get(SourceRows.ID), row.getString(SourceRows.TEXT_HASH), error));
      if (error != null) continue;
      texts.add(text);
      places.add(window.size() - 1);
      chars += text.length();
    }
    encode(texts, places, window);
    ready.addAll(window);
  }

  /**
   * Embeds texts. If the library refuses one, it tries each half separately, until the refused text
   * is isolated.
   */
  private void encode(List<String> texts, List<Integer> places, List<EncodedText> window) {
    if (texts.isEmpty()) return;
    int[] counts = new int[texts.size()];
    float[][] embeddings;
    try {
      EncodeOptions options = model.options.withTokenCounts(counts);
      embeddings = model.encoder.encode(texts, options);
    } catch (ContrastiveException e) {
      if (!isFaultOfText(e)) throw e; // the task fails, and Spark retries it
      if (texts.size() == 1) {
        EncodedText row = window.get(places.get(0));
        window.set(places.get(0), EncodedText.rejected(row.id(), row.textHash(), e.getMessage()));
        return;
      }
      int half = texts.size() / 2;
      encode(texts.subList(0, half), places.subList(0, half), window);
      encode(texts.subList(half, texts.size()), places.subList(half, places.size()), window);
      return;
    }
    for (int i = 0; i < embeddings.length; i++) {
      EncodedText row = window.get(places.get(i));
      window.set(
          places.get(i),
          new EncodedText(
              row.id(),
              row.textHash(),
              embeddings[i],
              counts[i],
              counts[i] > model.maxLength,
              null));
    }
  }

  private static boolean isFaultOfText(ContrastiveException e) {
    return switch (e.kind()) {
      case ARGUMENT, FORMAT, LIMIT, NUMERIC -> true;
      default -> false;
    };
  }
}
