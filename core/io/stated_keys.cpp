#include "core/io/stated_keys.h"

#include <algorithm>
#include <sstream>

#include "core/base/error.h"
#include "core/base/log.h"

namespace contrastive::io {
namespace {

constexpr const char *kNothing = "[]", *kIdle = "[false, {}, []]";
constexpr std::string_view kEveryKey = "(every key)";

std::vector<std::string> words(std::string_view list) {
  std::istringstream stream{std::string(list)};
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

bool lists(std::string_view list, std::string_view key) {
  for (size_t at = list.find(key); at != std::string_view::npos; at = list.find(key, at + 1)) {
    const size_t end = at + key.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

const StatedKeys& keys_of(std::string_view file) {
  for (const StatedKeys& row : stated_keys()) {
    if (row.file == file) return row;
  }
  fail(Status::kInternal, "no list of keys for ", std::string(file));
}

bool is_harmless(const RefusedKey& row, const Json& value) {
  const Json values = parse_json(row.harmless, "stated keys");
  return value.is_null() || std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<RefusedKey> plain_adapters_only() {
  std::vector<RefusedKey> rows;
  for (const char* key : {"alora_invocation_tokens",
                          "alpha_pattern",
                          "arrow_config",
                          "corda_config",
                          "ensure_weight_tying",
                          "fan_in_fan_out",
                          "kasa_config",
                          "layer_replication",
                          "loftq_config",
                          "lora_bias",
                          "lora_ga_config",
                          "megatron_config",
                          "modules_to_save",
                          "monteclora_config",
                          "rank_pattern",
                          "target_parameters",
                          "trainable_token_indices",
                          "use_bdlora",
                          "use_dora",
                          "use_qalora"}) {
    rows.push_back({key, kIdle, kPlainOnly});
  }
  return rows;
}

std::string cell(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

}  // namespace

bool is_stated_key(std::string_view file, const std::string& key) {
  const StatedKeys& row = keys_of(file);
  return row.without_effect == kEveryKey || lists(row.applied, key) ||
         lists(row.without_effect, key) ||
         std::any_of(row.refused.begin(), row.refused.end(),
                     [&](const RefusedKey& refused) { return refused.key == key; });
}

void check_stated_keys(std::string_view file, const Json& object, const std::string& source,
                       std::vector<std::string>& notes, const std::set<std::string>& read) {
  if (!object.is_object()) return;  // the reader of the file reports this
  std::string unknown;
  for (const auto& [key, value] : object.items()) {
    for (const RefusedKey& row : keys_of(file).refused) {
      if (row.key != key || read.count(key) > 0) continue;
      check(is_harmless(row, value), Status::kUnsupported, source, ": ", key, " is ",
            dump_ascii(value).substr(0, 80), ": ", row.advice);
    }
    if (read.count(key) == 0 && !is_stated_key(file, key))
      unknown += (unknown.empty() ? "" : ", ") + key.substr(0, 60);
  }
  if (unknown.empty()) return;
  notes.push_back(cat(source,
                      " states keys that this library does not know; they change nothing here: ",
                      unknown.substr(0, 400)));
  log_warning(notes.back());
}

void check_only_stated_keys(std::string_view file, const Json& object, const std::string& source,
                            const char* advice) {
  const Json idle = parse_json(kIdle, "stated keys");
  std::set<std::string> unknown;
  for (const auto& [key, value] : object.items()) {
    if (is_stated_key(file, key)) continue;
    const bool asks_for_nothing =
        value.is_null() || std::find(idle.begin(), idle.end(), value) != idle.end();
    check(asks_for_nothing, Status::kUnsupported, source, ": ", key, " is ",
          dump_ascii(value).substr(0, 80), ": ", advice);
    unknown.insert(key);
  }
  std::vector<std::string> no_notes;
  check_stated_keys(file, object, source, no_notes, unknown);
}

std::string stated_keys_table() {
  std::string text = "| file | applied | refused, unless it changes nothing | no effect on vectors "
                     "|\n| --- | --- | --- | --- |\n";
  for (const StatedKeys& row : stated_keys()) {
    std::vector<std::string> refused;
    for (const RefusedKey& key : row.refused) refused.emplace_back(key.key);
    text += cat("| ", row.file, " | ", cell(words(row.applied)), " | ", cell(refused), " | ",
                row.without_effect == kEveryKey ? "every key" : cell(words(row.without_effect)),
                " |\n");
  }
  return text;
}

const std::vector<StatedKeys>& stated_keys() {
  static const std::vector<StatedKeys> table = {
      {"modules.json", "path type", "idx kwargs name", {}},
      {"sentence_bert_config.json",
       "config_args config_kwargs do_lower_case max_seq_length modality_config model_args "
       "model_kwargs module_output_name processing_kwargs "
       "processor_kwargs tokenizer_args transformer_task",
       // The lengths belong to encode_query and encode_document. unpad_inputs selects another way
       // to compute the same numbers.
       "document_length query_length unpad_inputs",
       {{"query_expansion", kNothing, "models that give a vector for each token are not read"},
        {"tokenizer_name_or_path", kNothing,
         "it names another folder's tokenizer: copy its files into this one, and remove the key"}}},
      {"config_sentence_transformers.json",
       "activation_fn default_prompt_name model_type prompts similarity_fn_name truncate_dim",
       "__version__ keep_in_fp32_modules",
       {}},
      {"Pooling/config.json",
       "embedding_dimension include_prompt pooling_mode pooling_mode_cls_token "
       "pooling_mode_lasttoken pooling_mode_max_tokens "
       "pooling_mode_mean_last_2_tokens pooling_mode_mean_sqrt_len_tokens pooling_mode_mean_tokens "
       "pooling_mode_weightedmean_tokens "
       "word_embedding_dimension",
       "",
       {}},
      {"Dense/config.json",
       "activation_function bias in_features module_input_name module_output_name out_features",
       "",
       {{"use_residual", "[false]", "only plain Dense modules are read"}}},
      {"Normalize/config.json", "module_input_name module_output_name", "", {}},
      {"LayerNorm/config.json",
       "",
       "",
       {{"dimension", kNothing, "the module LayerNorm is not read"}}},
      {"Dropout/config.json", "", "dropout", {}},
      {"adapter_config.json",
       "bias exclude_modules init_lora_weights layers_to_transform lora_alpha peft_type r "
       "target_modules use_rslora",
       "auto_mapping base_model_name_or_path eva_config inference_mode layers_pattern "
       "lora_dropout megatron_core peft_version qalora_group_size revision runtime_config "
       "task_type velora_config",
       plain_adapters_only()},
      {"config.json",
       "architectures auto_map classifier_activation classifier_pooling dtype head_dim id2label "
       "is_causal model_type num_labels "
       "sbert_ce_default_activation_function sentence_transformers tie_word_embeddings "
       "tokenizer_class torch_dtype vocab_size",
       // Keys of generation, of training, and of how the checkpoint was made.
       "_attn_implementation _name_or_path _sliding_window_pattern adapters attention_chunk_size "
       "attention_dropout attention_probs_dropout_prob "
       "attn_implementation attn_pdrop bos_token_id chunk_size_feed_forward classifier_dropout "
       "classifier_dropout_prob cls_token_id "
       "cross_attention_hidden_size decoder_bias decoder_start_token_id dense_seq_output "
       "deterministic_flash_attn directionality "
       "distributed_config do_sample early_stopping emb_pooler embd_pdrop eos_token_id "
       "final_logit_softcapping finetuning_task "
       "first_k_dense_replace fused_bias_fc fused_dropout_add_ln fusion_config "
       "gradient_checkpointing hidden_dropout_prob init_std "
       "initializer_cutoff_factor initializer_factor initializer_range is_encoder_decoder label2id "
       "language layer_norm_eps layer_types "
       "length_penalty logn_attention_clip1 matryoshka_dimensions max_length max_trained_positions "
       "max_window_layers mlp_layer_types "
       "model_max_length mtp_layer_types mtp_mlp_layer_types mtp_per_layer_config n_positions "
       "name_or_path no_repeat_ngram_size num_beams "
       "num_decoder_layers num_mtp_layers output_attentions output_hidden_states output_past "
       "pack_qkv pad_token_id pad_vocab_size_multiple "
       "parallel_block_tied_norm pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers "
       "pooler_size_per_head pooler_type "
       "position_embedding_type prefix problem_type qa_dropout reference_compile "
       "reorder_and_upcast_attn repad_logits_with_grad return_dict "
       "scale_attn_by_inverse_layer_idx scale_attn_weights scale_decoder_outputs sep_token_id "
       "seq_classif_dropout sinusoidal_pos_embds "
       "sliding_window sparse_pred_ignore_index sparse_prediction summary_activation "
       "summary_first_dropout summary_last_dropout "
       "summary_proj_to_labels summary_type summary_use_proj task_specific_params "
       "task_type_vocab_size tie_encoder_decoder tie_weights_ "
       "torchscript transformers_version unpad_inputs use_bfloat16 use_cache use_flash_attn "
       "use_memory_efficient_attention "
       "use_xentropy",
       {{"add_cross_attention", "[false]", "only encoders are read"},
        {"is_decoder", "[false]", "only encoders are read"},
        {"per_layer_config", "[{}]", "layers of different shapes are not read"},
        {"pruned_heads", "[{}]", "pruned models are not read"},
        {"quantization_config", kNothing, "quantised checkpoints are not read; save it in float32"},
        {"tie_last_hidden_states", "[true]", "states before the last norm are not read"},
        {"transformers_weights", kNothing,
         "weights in another file are not read; name the file model.safetensors"}}},
      {"generation_config.json", "", kEveryKey, {}},
      {"tokenizer_config.json",
       "add_bos_token add_eos_token add_prefix_space added_tokens_decoder "
       "additional_special_tokens bos_token cls_token do_lower_case eos_token "
       "extra_ids extra_special_tokens fast_tokenizer_files keep_accents legacy mask_token max_len "
       "model_input_names model_max_length model_specific_special_tokens "
       "pad_token sep_token split_special_tokens strip_accents tokenize_chinese_chars "
       "tokenizer_class trim_offsets truncation_side unk_token",
       // Keys for chats, files, hubs, padding (texts are packed) and decoding, and keys that only
       // the slow tokenizers of transformers 4 used.
       "_commit_hash _from_auto _from_pipeline _json_padding _json_truncation "
       "_spm_precompiled_charsmap auto_map backend chat_control_tokens "
       "chat_template clean_up_tokenization_spaces cls_token_id continuing_subword_prefix "
       "do_basic_tokenize end_of_word_suffix errors files_loaded "
       "fix_mistral_regex init_inputs initial_alphabet is_local local_files_only max_length "
       "merges_file name_or_path pad_to_multiple_of pad_token_type_id never_split padding_side "
       "post_processor processor_class "
       "response_schema response_template sanitize_control_tokens save_jinja_files sp_model_kwargs "
       "spaces_between_special_tokens "
       "special_tokens_map_file stride tokenizer tokenizer_file tokenizer_padding "
       "tokenizer_truncation truncation_strategy unk_id use_default_system_prompt use_fast "
       "use_source_tokenizer verbose vocab_file",
       {}},
      {"special_tokens_map.json",
       "additional_special_tokens bos_token cls_token eos_token extra_special_tokens mask_token "
       "pad_token sep_token unk_token",
       "",
       {}},
      {"tokenizer.json",
       "added_tokens model normalizer post_processor pre_tokenizer truncation",
       "decoder padding version",
       {}},
      {"tokenizer.json: added_tokens",
       "content id lstrip normalized rstrip single_word special",
       "",
       {}},
      {"tokenizer.json: model",
       "byte_fallback continuing_subword_prefix dropout end_of_word_suffix fuse_unk ignore_merges "
       "max_input_chars_per_word merges type unk_id "
       "unk_token vocab",
       "",
       {}},
      {"tokenizer.json: normalizer",
       "clean_text content handle_chinese_chars lowercase normalizers pattern precompiled_charsmap "
       "prepend strip_accents strip_left strip_right type",
       "",
       {}},
      {"tokenizer.json: padding", "", kEveryKey, {}},
      {"tokenizer.json: post_processor",
       "add_prefix_space cls pair processors sep single special_tokens trim_offsets type use_regex",
       "",
       {}},
      {"tokenizer.json: pre_tokenizer",
       "add_prefix_space behavior delimiter individual_digits invert length pattern prepend_scheme "
       "pretokenizers replacement split "
       "trim_offsets type use_regex",
       "str_rep",
       {}},
      {"tokenizer.json: truncation", "direction max_length strategy", "stride", {}},
  };
  return table;
}

}  // namespace contrastive::io
