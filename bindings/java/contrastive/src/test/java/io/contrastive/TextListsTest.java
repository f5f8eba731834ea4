package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Lists whose size changes at each look, as if other threads filled them: a call must use the state
 * of one moment.
 */
@ExtendWith(LeakCheck.class)
class TextListsTest {
  /** Grows or shrinks by `step` each time its size is read. */
  private static final class Changing<T> extends AbstractList<T> {
    private final T item;
    private final int step;
    private int size;

    Changing(T item, int size, int step) {
      this.item = item;
      this.size = size;
      this.step = step;
    }

    @Override
    public int size() {
      int now = size;
      size = Math.max(0, size + step);
      return now;
    }

    @Override
    public T get(int index) {
      return item;
    }

    @Override
    public Object[] toArray() {
      Object[] items = new Object[size()];
      java.util.Arrays.fill(items, item);
      return items;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <E> E[] toArray(E[] type) {
      return (E[]) java.util.Arrays.copyOf(toArray(), Math.max(0, size()), type.getClass());
    }
  }

  /** The only allowed error: toArray of the list above fills missing elements with null. */
  private static void nullIsNamed(NullPointerException e) {
    assertTrue(e.getMessage().matches("(texts|examples)\\[\\d+\\] is null"), e.getMessage());
  }

  @Test
  void textsOfAListThatChangesAreEmbeddedOrRefused() {
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      float[] expected = encoder.encode("the cat sat");
      for (int step : new int[] {-9, -2, -1, 0, 1, 2, 1000}) {
        for (int size = 1; size < 40; size += 3) {
          List<String> texts = new Changing<>("the cat sat", size, step);
          try {
            for (float[] row : encoder.encode(texts)) assertEquals(expected[0], row[0], 1e-6);
          } catch (NullPointerException e) {
            nullIsNamed(e);
          }
          try {
            encoder.encode(
                new Changing<>("the cat sat", size, step),
                EncodeOptions.defaults(),
                Vectors.allocate(2_000, 32));
          } catch (NullPointerException e) {
            nullIsNamed(e);
          }
        }
      }
    }
  }

  @Test
  void examplesOfAListThatChangesAreTrainedOnOrRefused() {
    try (SentenceEncoder encoder = Fixtures.encoder();
        Trainer trainer = Trainer.start(encoder, null, Fixtures.CLSR.with("max_steps", 100_000))) {
      for (int step : new int[] {-3, -1, 1, 5}) {
        for (int size = 2; size < 12; size++) {
          try {
            trainer.batch(new Changing<>(Example.pair("the cat sat", "a cat sits"), size, step));
          } catch (NullPointerException e) {
            nullIsNamed(e);
          } catch (ContrastiveException e) {
            assertEquals(ContrastiveException.Kind.ARGUMENT, e.kind(), e.getMessage());
          }
        }
      }
      assertTrue(trainer.metric("step") > 0);
    }
  }

  @Test
  void aListThatAnotherThreadFillsIsTakenAsItIs() throws Exception {
    List<String> texts =
        java.util.Collections.synchronizedList(
            new ArrayList<>(List.of("the cat sat", "the cat sat")));
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                if (i % 7 < 4) texts.add("the cat sat");
                else if (texts.size() > 2) texts.remove(texts.size() - 1);
                if (texts.size() > 64) texts.subList(2, texts.size()).clear();
              }
            });
    writer.start();
    try (SentenceEncoder encoder = Fixtures.encoder()) {
      float[] expected = encoder.encode("the cat sat");
      for (int i = 0; i < 2_000; i++) {
        for (float[] row : encoder.encode(texts)) assertEquals(expected[0], row[0], 1e-6);
      }
    } finally {
      writer.interrupt();
      writer.join();
    }
  }
}
