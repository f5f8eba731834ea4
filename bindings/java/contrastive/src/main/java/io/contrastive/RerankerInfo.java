package io.contrastive;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@link Reranker#info} says was loaded.
 *
 * @param family "bert", "roberta", "modernbert", ...: the model_type of its config.json
 * @param layers Transformer layers
 * @param hiddenSize width of a token's state
 * @param parameters numbers that were learnt
 * @param labels what the scores of a pair are called
 * @param activation what the logits go through: "sigmoid", "identity", ...
 * @param maxLength tokens of the longest pair that is read whole
 * @param tokenizer "wordpiece", "bpe", ...
 * @param prompts texts that are put before a query, by name
 * @param defaultPromptName which of them is put before a query by default; empty if none is
 * @param device where it computes
 * @param computedBy "kernels" or "libtorch"
 * @param precision what it computes with
 * @param fingerprint equal fingerprints are equal rerankers
 * @param notes what was defaulted, renamed or ignored
 * @param json all of it, with the members that have no component here
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
