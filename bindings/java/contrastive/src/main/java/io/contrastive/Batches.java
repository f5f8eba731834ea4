package io.contrastive;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** Embeds the texts of an iterator in batches, as their embeddings are read. */
final class Batches implements Iterator<float[]> {
  private static final int TEXTS = 1024; // more make the call no faster

  private final SentenceEncoder encoder;
  private final Iterator<String> texts;
  private final EncodeOptions options;
  private float[][] batch = new float[0][];
  private int next;

  Batches(SentenceEncoder encoder, Iterator<String> texts, EncodeOptions options) {
    this.encoder = encoder;
    this.texts = texts;
    this.options = options;
  }

  @Override
  public boolean hasNext() {
    return next < batch.length || texts.hasNext();
  }

  @Override
  public float[] next() {
    if (next == batch.length) read();
    return batch[next++];
  }

  private void read() {
    if (!texts.hasNext()) throw new NoSuchElementException();
    List<String> read = new ArrayList<>(TEXTS);
    while (read.size() < TEXTS && texts.hasNext()) read.add(texts.next());
    batch = encoder.encode(read, options);
    next = 0;
  }
}
