package io.contrastive;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@link SentenceEncoder#info} says was loaded.
 *
 * @param family "bert", "roberta", "mpnet", ...: the model_type of its config.json
 * @param layers Transformer layers
 * @param hiddenSize width of a token's state
 * @param parameters numbers that were learnt
 * @param dimension floats of one embedding
 * @param maxLength tokens of the longest text that is embedded whole
 * @param tokenizer "wordpiece", "bpe", ...
 * @param pooling how token states become one vector
 * @param normalize whether embeddings have unit length
 * @param prompts texts that are put before a text, by name
 * @param defaultPromptName which of them is put before a text by default; empty if none is
 * @param similarity how embeddings are to be compared; empty if the model does not say
 * @param device where it computes
 * @param computedBy "kernels" or "libtorch"
 * @param precision what it computes with
 * @param fingerprint equal fingerprints are equal models: store it beside embeddings
 * @param notes what was defaulted, renamed or ignored
 * @param json all of it, with the members that have no component here
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
