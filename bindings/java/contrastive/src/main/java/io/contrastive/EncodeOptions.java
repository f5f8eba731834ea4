package io.contrastive;

/**
 * Options for embedding texts. An option that is not set has the model's default. Each {@code with}
 * method returns a changed copy.
 *
 * <pre>{@code
 * encoder.encode(queries, EncodeOptions.defaults().withPromptName("query").withTruncateDim(256));
 * }</pre>
 */
public final class EncodeOptions {
  private static final EncodeOptions DEFAULTS = new EncodeOptions();

  private int normalize = -1; // the C API's "use the model's default"
  private String pooling;
  private String prompt;
  private String promptName;
  private int truncateDim;
  private int maxLength;
  private int batchTokens;
  private int[] tokenCounts;
  private Cancel cancel;

  private EncodeOptions() {}

  private EncodeOptions(EncodeOptions other) {
    normalize = other.normalize;
    pooling = other.pooling;
    prompt = other.prompt;
    promptName = other.promptName;
    truncateDim = other.truncateDim;
    maxLength = other.maxLength;
    batchTokens = other.batchTokens;
    tokenCounts = other.tokenCounts;
    cancel = other.cancel;
  }

  /** Options with the model's defaults. */
  public static EncodeOptions defaults() {
    return DEFAULTS;
  }

  /** Whether embeddings are normalized to unit length. */
  public EncodeOptions withNormalize(boolean normalize) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.normalize = normalize ? 1 : 0;
    return copy;
  }

  /** How the token states are pooled into one vector: "mean", "cls", "max", "first-last", ... */
  public EncodeOptions withPooling(String pooling) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.pooling = pooling;
    return copy;
  }

  /** A prompt that is put before every text. "" disables the model's default prompt. */
  public EncodeOptions withPrompt(String prompt) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.prompt = prompt;
    return copy;
  }

  /** The name of one of the model's own prompts, such as "query". */
  public EncodeOptions withPromptName(String promptName) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.promptName = promptName;
    return copy;
  }

  /** Keeps only the first dimensions (for Matryoshka models). */
  public EncodeOptions withTruncateDim(int truncateDim) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.truncateDim = truncateDim;
    return copy;
  }

  /** The maximum number of tokens of a text. Longer texts are cut. */
  public EncodeOptions withMaxLength(int maxLength) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.maxLength = maxLength;
    return copy;
  }

  /**
   * The maximum number of tokens in an internal batch. It bounds memory and changes at most the
   * last bits of the result.
   */
  public EncodeOptions withBatchTokens(int batchTokens) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.batchTokens = batchTokens;
    return copy;
  }

  /**
   * An array with an entry for each text. The call fills it with the number of tokens of each text
   * before truncation. If a number is above the maximum length, the text was cut.
   */
  public EncodeOptions withTokenCounts(int[] tokenCounts) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.tokenCounts = tokenCounts;
    return copy;
  }

  /** A flag that stops the call. */
  public EncodeOptions withCancel(Cancel cancel) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.cancel = cancel;
    return copy;
  }

  void refuseTokenCounts() {
    if (tokenCounts != null)
      throw ContrastiveException.argument("tokenCounts has no meaning for a stream of texts");
  }

  /** The options that are set, such as {@code EncodeOptions[pooling=mean, maxLength=128]}. */
  @Override
  public String toString() {
    return new OptionList("EncodeOptions")
        .add("normalize", normalize < 0 ? null : normalize == 1)
        .add("pooling", pooling)
        .add("prompt", prompt)
        .add("promptName", promptName)
        .add("truncateDim", truncateDim)
        .add("maxLength", maxLength)
        .add("batchTokens", batchTokens)
        .add("tokenCounts", tokenCounts == null ? null : "int[" + tokenCounts.length + "]")
        .add("cancel", cancel)
        .toString();
  }

  /** Whether embeddings have the model's own dimension. */
  boolean keepDimension() {
    return pooling == null && truncateDim == 0;
  }

  /** The dimension of embeddings with these options. */
  int dimension(long model) {
    return keepDimension()
        ? ContrastiveException.checked(Native.cs_model_dimension(model), "cs_model_dimension")
        : Native.cs_encode_dimension_flat(model, pooling, truncateDim);
  }

  /**
   * Embeds into a float[], float[][] or direct FloatBuffer. The call may fill the first `capacity`
   * floats.
   */
  int encode(long model, Packed texts, Object out, long capacity) {
    if (tokenCounts != null && tokenCounts.length < texts.rows) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.BUFFER,
          "tokenCounts has " + tokenCounts.length + " entries for " + texts.rows + " texts",
          null);
    }
    // The library polls the flag between batches. One text is one batch, so it is enough to check
    // the flag before the call.
    if (texts.rows == 1) {
      CallScope.check(cancel);
      return call(model, texts, 0, out, capacity);
    }
    return CallScope.run(cancel, flag -> call(model, texts, flag, out, capacity));
  }

  private int call(long model, Packed texts, long flag, Object out, long capacity) {
    int rows = (int) texts.rows;
    int[] counts = tokenCounts == null || tokenCounts.length == rows ? tokenCounts : new int[rows];
    int status =
        Native.cs_encode_flat(
            model,
            texts.data,
            texts.offsets,
            texts.rows,
            normalize,
            pooling,
            prompt,
            promptName,
            truncateDim,
            maxLength,
            batchTokens,
            counts,
            flag,
            out,
            capacity);
    if (counts != tokenCounts) System.arraycopy(counts, 0, tokenCounts, 0, rows);
    return status;
  }
}
