package io.contrastive;

/**
 * How pairs are scored. Every option that is not set is as the model says; a {@code with} gives a
 * changed copy.
 *
 * <pre>{@code
 * reranker.score("who lives there?", documents, RerankOptions.defaults().withActivation("identity"));
 * }</pre>
 */
public final class RerankOptions {
  private static final RerankOptions DEFAULTS = new RerankOptions(null, null, null, 0, 0, null);

  private final String activation;
  private final String prompt;
  private final String promptName;
  private final int maxLength;
  private final int batchTokens;
  private final Cancel cancel;

  private RerankOptions(
      String activation,
      String prompt,
      String promptName,
      int maxLength,
      int batchTokens,
      Cancel cancel) {
    this.activation = activation;
    this.prompt = prompt;
    this.promptName = promptName;
    this.maxLength = maxLength;
    this.batchTokens = batchTokens;
    this.cancel = cancel;
  }

  /** Everything as the model says. */
  public static RerankOptions defaults() {
    return DEFAULTS;
  }

  /**
   * What the logits go through: "identity", "sigmoid", "softmax" over a pair's several labels, ...
   */
  public RerankOptions withActivation(String activation) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** Text put before every query; "" switches the model's default prompt off. */
  public RerankOptions withPrompt(String prompt) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** One of the model's own prompts. */
  public RerankOptions withPromptName(String promptName) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** Tokens of a pair at most; longer ones are cut. */
  public RerankOptions withMaxLength(int maxLength) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** The token budget of one internal batch: bounds memory, and changes no more than last bits. */
  public RerankOptions withBatchTokens(int batchTokens) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** A flag that stops the call. */
  public RerankOptions withCancel(Cancel cancel) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** Scores pairs, whose two texts stand one behind the other. */
  int score(long reranker, Packed texts, float[] scores) {
    return CallScope.run(
        cancel,
        flag ->
            Native.cs_rerank_flat(
                reranker,
                texts.data,
                texts.offsets,
                texts.rows,
                activation,
                prompt,
                promptName,
                maxLength,
                batchTokens,
                flag,
                scores,
                scores.length));
  }
}
