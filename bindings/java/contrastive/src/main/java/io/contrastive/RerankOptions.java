package io.contrastive;

/**
 * Options for scoring pairs with a reranker. An option that is not set has the model's default.
 * Each {@code with} method returns a changed copy.
 *
 * <pre>{@code
 * RerankOptions logits = RerankOptions.defaults().withActivation("identity");
 * reranker.score("who lives there?", documents, logits);
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

  /** Options with the model's defaults. */
  public static RerankOptions defaults() {
    return DEFAULTS;
  }

  /**
   * The function that is applied to the logits: "identity", "sigmoid", "softmax" over the labels of
   * a pair, ...
   */
  public RerankOptions withActivation(String activation) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** A prompt that is put before every query. "" disables the model's default prompt. */
  public RerankOptions withPrompt(String prompt) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** The name of one of the model's own prompts. */
  public RerankOptions withPromptName(String promptName) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** The maximum number of tokens of a pair. Longer pairs are cut. */
  public RerankOptions withMaxLength(int maxLength) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /**
   * The maximum number of tokens in an internal batch. It bounds memory and changes at most the
   * last bits of the result.
   */
  public RerankOptions withBatchTokens(int batchTokens) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** A flag that stops the call. */
  public RerankOptions withCancel(Cancel cancel) {
    return new RerankOptions(activation, prompt, promptName, maxLength, batchTokens, cancel);
  }

  /** The options that are set, such as {@code RerankOptions[activation=identity]}. */
  @Override
  public String toString() {
    return new OptionList("RerankOptions")
        .add("activation", activation)
        .add("prompt", prompt)
        .add("promptName", promptName)
        .add("maxLength", maxLength)
        .add("batchTokens", batchTokens)
        .add("cancel", cancel)
        .toString();
  }

  /** Scores pairs. The two texts of a pair follow each other in `texts`. */
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
