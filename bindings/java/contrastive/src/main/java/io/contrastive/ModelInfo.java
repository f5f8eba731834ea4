package io.contrastive;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A description of a loaded encoder, from {@link SentenceEncoder#info}.
 *
 * @param family "bert", "roberta", "mpnet", ...: the model_type of its config.json
 * @param layers the number of Transformer layers
 * @param hiddenSize the dimension of a token's state
 * @param parameters the number of trainable parameters
 * @param dimension the number of floats in an embedding
 * @param maxLength the maximum number of tokens of a text
 * @param tokenizer "wordpiece", "bpe", ...
 * @param pooling how token states are pooled into one vector
 * @param normalize whether embeddings have unit length
 * @param prompts prompts that can be put before a text, by name
 * @param defaultPromptName the prompt that is used by default; empty if there is none
 * @param similarity the measure with which to compare embeddings; empty if the model does not
 *     specify one
 * @param device the device on which the model runs
 * @param computedBy "kernels" or "libtorch"
 * @param precision the floating-point type of its computation
 * @param fingerprint equal for equal models; store it with your embeddings
 * @param notes settings that were defaulted, renamed or ignored
 * @param json the whole description, including members that have no component here
 */
public record ModelInfo(
    String family,
    int layers,
    int hiddenSize,
    long parameters,
    int dimension,
    int maxLength,
    String tokenizer,
    List<String> pooling,
    boolean normalize,
    Map<String, String> prompts,
    Optional<String> defaultPromptName,
    Optional<String> similarity,
    String device,
    String computedBy,
    String precision,
    String fingerprint,
    List<String> notes,
    String json) {
  static ModelInfo of(String json) {
    Json.Members info = Json.members(json);
    return new ModelInfo(
        info.text("family"),
        info.number("layers"),
        info.number("hidden_size"),
        info.longNumber("parameters"),
        info.number("dimension"),
        info.number("max_length"),
        info.text("tokenizer"),
        info.texts("pooling"),
        info.flag("normalize"),
        info.textsByName("prompts"),
        info.stated("default_prompt_name"),
        info.stated("similarity"),
        info.text("device"),
        info.text("computed_by"),
        info.text("precision"),
        info.text("fingerprint"),
        info.texts("notes"),
        json);
  }
}
