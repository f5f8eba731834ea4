package io.contrastive;

/**
 * Receives the progress of a long call, such as encoding, evaluation, mining and adaptation. Pass
 * it to the call in a {@link Cancel}.
 *
 * <pre>{@code
 * Cancel cancel = new Cancel((what, done, total) -> System.out.println(done + " " + what));
 * encoder.encode(texts, EncodeOptions.defaults().withCancel(cancel));
 * }</pre>
 */
@FunctionalInterface
public interface Progress {
  /**
   * Receives a report, on the thread of the call, at most about ten times a second and at the end
   * of each phase. This method may trigger a {@link Cancel}; other calls of the library fail with
   * {@link ContrastiveException.Kind#BUSY}. If it throws, the call stops and throws the same
   * exception.
   *
   * @param what the work that is counted, in English: "texts encoded"
   * @param done how much is done
   * @param total how much there is; 0 if that is unknown
   */
  void accept(String what, long done, long total);
}
