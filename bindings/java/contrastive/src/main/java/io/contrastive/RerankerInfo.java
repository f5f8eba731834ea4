package io.contrastive;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A description of a loaded reranker, from {@link Reranker#info}.
 *
 * @param family "bert", "roberta", "modernbert", ...: the model_type of its config.json
 * @param layers the number of Transformer layers
 * @param hiddenSize the dimension of a token's state
 * @param parameters the number of trainable parameters
 * @param labels the names of a pair's scores
 * @param activation the function that is applied to the logits: "sigmoid", "identity", ...
 * @param maxLength the maximum number of tokens of a pair
 * @param tokenizer "wordpiece", "bpe", ...
 * @param prompts prompts that can be put before a query, by name
 * @param defaultPromptName the prompt that is used by default; empty if there is none
 * @param device the device on which the model runs
 * @param computedBy "kernels" or "libtorch"
 * @param precision the floating-point type of its computation
 * @param fingerprint equal for equal rerankers
 * @param notes settings that were defaulted, renamed or ignored
 * @param json the whole description, including members that have no component here
 */
public record RerankerInfo(
    String family,
    int layers,
    int hiddenSize,
    long parameters,
    List<String> labels,
    String activation,
    int maxLength,
    String tokenizer,
    Map<String, String> prompts,
    Optional<String> defaultPromptName,
    String device,
    String computedBy,
    String precision,
    String fingerprint,
    List<String> notes,
    String json) {
  static RerankerInfo of(String json) {
    Json.Members info = Json.members(json);
    return new RerankerInfo(
        info.text("family"),
        info.number("layers"),
        info.number("hidden_size"),
        info.longNumber("parameters"),
        info.texts("labels"),
        info.text("activation"),
        info.number("max_length"),
        info.text("tokenizer"),
        info.textsByName("prompts"),
        info.stated("default_prompt_name"),
        info.text("device"),
        info.text("computed_by"),
        info.text("precision"),
        info.text("fingerprint"),
        info.texts("notes"),
        json);
  }
}
