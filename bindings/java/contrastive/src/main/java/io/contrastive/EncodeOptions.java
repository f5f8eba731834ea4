package io.contrastive;

/**
 * How texts are embedded. Every option that is not set is as the model says; a {@code with} gives a
 * changed copy.
 *
 * <pre>{@code
 * encoder.encode(queries, EncodeOptions.defaults().withPromptName("query").withTruncateDim(256));
 * }</pre>
 */
public final class EncodeOptions {
  private static final EncodeOptions DEFAULTS = new EncodeOptions();

  private int normalize = -1; // the C API's "as the model says"
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

  /** Everything as the model says. */
  public static EncodeOptions defaults() {
    return DEFAULTS;
  }

  /** Embeddings of unit length, or as pooled. */
  public EncodeOptions withNormalize(boolean normalize) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.normalize = normalize ? 1 : 0;
    return copy;
  }

  /** How token states become one vector: "mean", "cls", "max", "first-last", ... */
  public EncodeOptions withPooling(String pooling) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.pooling = pooling;
    return copy;
  }

  /** Text put before every text; "" switches the model's default prompt off. */
  public EncodeOptions withPrompt(String prompt) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.prompt = prompt;
    return copy;
  }

  /** One of the model's own prompts, such as "query". */
  public EncodeOptions withPromptName(String promptName) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.promptName = promptName;
    return copy;
  }

  /** Keeps the first dimensions only (Matryoshka models). */
  public EncodeOptions withTruncateDim(int truncateDim) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.truncateDim = truncateDim;
    return copy;
  }

  /** Tokens of a text at most; longer ones are cut. */
  public EncodeOptions withMaxLength(int maxLength) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.maxLength = maxLength;
    return copy;
  }

  /** The token budget of one internal batch: bounds memory, and changes no more than last bits. */
  public EncodeOptions withBatchTokens(int batchTokens) {
    EncodeOptions copy = new EncodeOptions(this);
    copy.batchTokens = batchTokens;
    return copy;
  }

  /**
   * An array with an entry for each text, which the call fills with its tokens before truncation:
   * above the maximum length, the text was cut.
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

  /** Whether embeddings are as wide as the model's own. */
  boolean keepDimension() {
    return pooling == null && truncateDim == 0;
  }

  /** The width of the embeddings under these options. */
  int dimension(long model) {
    return keepDimension()
        ? ContrastiveException.checked(Native.cs_model_dimension(model), "cs_model_dimension")
        : Native.cs_encode_dimension_flat(model, pooling, truncateDim);
  }

  /**
   * Embeds into a float[], float[][] or direct FloatBuffer, of which the call may fill the first
   * `capacity` floats.
   */
  int encode(long model, Packed texts, Object out, long capacity) {
    if (tokenCounts != null && tokenCounts.length < texts.rows) {
      throw ContrastiveException.of(
          ContrastiveException.Kind.BUFFER,
          "tokenCounts has " + tokenCounts.length + " entries for " + texts.rows + " texts",
          null);
    }
    // The library looks at a flag between batches: one text is one batch, so looking before it is
    // all there is to do.
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
