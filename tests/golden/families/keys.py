#!/usr/bin/env python3
"""What each key of config.json does to transformers' hidden states on the checkpoints of make.py.

    keys.py FAMILIES OUT     reads FAMILIES/NAME/{config.json, model.safetensors}, which is
                             tests/fixtures/families, and writes OUT, which is
                             tests/fixtures/family_keys.json

KEYS has a value for each key of the families' classes, of PreTrainedConfig, and of the code that
published checkpoints bring. Each is set alone. The result is "same" if the states stay as they
are, "error" if transformers refuses the value or would draw weights at random, and else a list:
what the states become, as states() sums them up. tests/core/model/family_keys_test.cpp compares
the library with it. Wants transformers 5.24 and torch 2.11.
"""

import json
import logging
import os
import shutil
import sys
import tempfile

import torch
import transformers
from make import TEXTS

LAYERS = "as many layer types as the folder has layers"
NONE_SCALED = {"rope_theta": 100.0}
KEYS = [
    # PreTrainedConfig.
    ("is_causal", True),
    ("is_causal", False),
    ("is_decoder", True),
    ("add_cross_attention", True),
    ("is_encoder_decoder", True),
    ("tie_word_embeddings", False),
    ("tie_encoder_decoder", True),
    ("chunk_size_feed_forward", 2),
    ("output_hidden_states", True),
    ("output_attentions", True),
    ("return_dict", False),
    ("use_cache", False),
    ("torchscript", True),
    ("dtype", "bfloat16"),
    ("torch_dtype", "bfloat16"),
    ("pruned_heads", {"0": [0]}),
    ("problem_type", "regression"),
    ("num_labels", 5),
    ("id2label", {"0": "a"}),
    ("bos_token_id", 9),
    ("eos_token_id", 9),
    ("pad_token_id", 0),
    ("pad_token_id", 5),
    ("sep_token_id", 9),
    ("cls_token_id", 9),
    ("decoder_start_token_id", 9),
    ("attn_implementation", "eager"),
    ("tokenizer_class", "BertTokenizer"),
    ("max_length", 5),
    ("initializer_range", 0.5),
    # Sizes, and the other names of some.
    ("vocab_size", 60),
    ("vocab_size", 70),
    ("hidden_size", 8),
    ("d_model", 8),
    ("dim", 8),
    ("n_embd", 8),
    ("embedding_size", 16),
    ("embedding_size", 4),
    ("num_hidden_layers", 1),
    ("num_layers", 1),
    ("n_layers", 1),
    ("n_layer", 1),
    ("num_decoder_layers", 1),
    ("num_hidden_groups", 1),
    ("inner_group_num", 2),
    ("num_attention_heads", 1),
    ("num_heads", 1),
    ("n_heads", 1),
    ("n_head", 1),
    ("num_key_value_heads", 2),
    ("head_dim", 4),
    ("d_kv", 4),
    ("intermediate_size", 12),
    ("hidden_dim", 12),
    ("d_ff", 12),
    ("n_inner", 12),
    ("max_position_embeddings", 64),
    ("n_positions", 64),
    ("type_vocab_size", 1),
    ("type_vocab_size", 2),
    ("type_vocab_size", 0),
    ("task_type_vocab_size", 5),
    ("use_task_id", True),
    # Norms, activations, dropout.
    ("layer_norm_eps", 0.5),
    ("layer_norm_epsilon", 0.5),
    ("rms_norm_eps", 0.5),
    ("norm_eps", 0.5),
    ("norm_bias", True),
    ("norm_bias", False),
    ("hidden_act", "relu"),
    ("hidden_act", "tanh"),
    ("hidden_act", "mish"),
    ("hidden_act", "quick_gelu"),
    ("hidden_act", "sigmoid"),
    ("hidden_act", "gelu_new"),
    ("hidden_act", "leaky_relu"),
    ("hidden_act", "relu6"),
    ("hidden_act", "linear"),
    ("hidden_act", "gelu_10"),
    ("hidden_act", "gelu_accurate"),
    ("hidden_act", "gelu_python_tanh"),
    ("hidden_act", "relu2"),
    ("hidden_act", "no_such"),
    ("activation", "relu"),
    ("activation", "tanh"),
    ("hidden_activation", "relu"),
    ("hidden_activation", "tanh"),
    ("activation_function", "relu"),
    ("dense_act_fn", "tanh"),
    ("is_gated_act", True),
    ("is_gated_act", False),
    ("feed_forward_proj", "gelu"),
    ("feed_forward_proj", "tanh"),
    ("feed_forward_proj", "gelu_new"),
    ("feed_forward_proj", "gated-silu"),
    ("feed_forward_proj", "gated-gelu"),
    ("hidden_dropout_prob", 0.5),
    ("attention_probs_dropout_prob", 0.5),
    ("attention_dropout", 0.5),
    ("dropout", 0.5),
    ("dropout_rate", 0.5),
    ("mlp_dropout", 0.5),
    ("embedding_dropout", 0.5),
    ("resid_pdrop", 0.5),
    ("classifier_dropout", 0.5),
    ("classifier_dropout_prob", 0.5),
    ("seq_classif_dropout", 0.5),
    ("classifier_activation", "relu"),
    ("classifier_pooling", "mean"),
    ("summary_type", "mean"),
    # Attention, positions and windows.
    ("attention_bias", True),
    ("mlp_bias", True),
    ("qkv_proj_bias", True),
    ("position_embedding_type", "relative_key"),
    ("sinusoidal_pos_embds", True),
    ("relative_attention_num_buckets", 8),
    ("relative_attention_num_buckets", 16),
    ("relative_attention_max_distance", 20),
    ("query_pre_attn_scalar", 4),
    ("attn_logit_softcapping", 1.0),
    ("final_logit_softcapping", 1.0),
    ("use_bidirectional_attention", True),
    ("use_bidirectional_attention", False),
    ("sliding_window", 4),
    ("use_sliding_window", True),
    ("max_window_layers", 0),
    ("layer_types", LAYERS),
    ("sliding_window_pattern", 2),
    ("local_attention", 4),
    ("global_attn_every_n_layers", 2),
    ("rope_theta", 100.0),
    ("global_rope_theta", 100.0),
    ("local_rope_theta", 50.0),
    ("rope_local_base_freq", 50.0),
    ("partial_rotary_factor", 0.5),
    ("rope_scaling", {"rope_type": "linear", "factor": 4.0}),
    ("rope_scaling", {"type": "linear", "factor": 4.0}),
    ("rope_scaling", {"type": "ntk", "factor": 4.0}),
    ("rope_scaling", {"rope_type": "default"}),
    ("rope_parameters", dict(NONE_SCALED, rope_type="default")),
    ("rope_parameters", dict(NONE_SCALED, rope_type="linear", factor=4.0)),
    ("rope_parameters", dict(NONE_SCALED, type="linear", factor=4.0)),
    ("rope_parameters", dict(NONE_SCALED, partial_rotary_factor=0.5)),
    ("rope_parameters", {"full_attention": NONE_SCALED, "sliding_attention": {"rope_theta": 50.0}}),
    (
        "rope_parameters",
        {
            "full_attention": dict(NONE_SCALED, type="linear", factor=4.0),
            "sliding_attention": {"rope_theta": 50.0},
        },
    ),
    (
        "rope_parameters",
        {
            "full_attention": NONE_SCALED,
            "sliding_attention": {"rope_theta": 50.0, "type": "linear", "factor": 4.0},
        },
    ),
    # Of published checkpoints' own code.
    ("prenorm", True),
    ("parallel_block", True),
    ("use_rms_norm", True),
    ("causal", True),
    ("rotary_emb_interleaved", True),
    ("num_experts", 8),
    ("rotary_emb_fraction", 0.5),
    ("rotary_emb_base", 100),
    ("layer_norm_type", "rms_norm"),
    ("logn_attention_scale", True),
    ("pack_qkv", False),
    ("down_scale_factor", 2),
    ("gap_size", 2),
    ("net_structure_type", 1),
    ("decoder_bias", False),
    ("reference_compile", True),
]


def value_for(value, config):
    count = config.get("num_hidden_layers", 2)
    return (
        value
        if value != LAYERS
        else ["sliding_attention" if i % 2 == 0 else "full_attention" for i in range(count)]
    )


def states(folder, config):
    """Sums the first 8 numbers of the mean, the first and the last state of each text."""
    with tempfile.TemporaryDirectory() as changed:
        shutil.copy(os.path.join(folder, "model.safetensors"), changed)
        with open(changed + "/config.json", "w") as file:
            json.dump(config, file)
        kind = (
            transformers.T5EncoderModel if config["model_type"] == "t5" else transformers.AutoModel
        )
        model, report = kind.from_pretrained(changed, output_loading_info=True)
    lost = {
        key for key in report["missing_keys"] if "position_ids" not in key and "pooler" not in key
    }
    if lost or report["mismatched_keys"]:
        raise ValueError("weights drawn at random")
    model.eval()
    total = 0
    with torch.no_grad():
        for ids in TEXTS:
            given = {
                "input_ids": torch.tensor([ids]),
                "attention_mask": torch.ones(1, len(ids), dtype=torch.long),
            }
            output = model(**given)
            last = (output[0] if isinstance(output, tuple) else output.last_hidden_state)[0].float()
            total = total + (last.mean(0) + last[0] + last[-1])[:8]
    if not torch.isfinite(total).all():
        raise ValueError("not finite")
    return total


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    logging.disable(logging.CRITICAL)
    transformers.utils.logging.disable_progress_bar()
    rows = {}
    for name in sorted(os.listdir(sys.argv[1])):
        folder = os.path.join(sys.argv[1], name)
        with open(folder + "/config.json") as file:
            config = json.load(file)
        base, rows[name] = states(folder, config), []
        for key, value in KEYS:
            try:
                torch.manual_seed(1)
                seen = states(folder, dict(config, **{key: value_for(value, config)}))
                rows[name].append(
                    "same"
                    if (seen - base).abs().max() < 1e-5
                    else [float(f"{x:.5g}") for x in seen.tolist()]
                )
            except Exception:
                rows[name].append("error")
    with open(sys.argv[2], "w") as file:
        keys = ",\n".join(json.dumps(list(key)) for key in KEYS)
        families = ",\n".join(
            f"{json.dumps(name)}:{json.dumps(row, separators=(',', ':'))}"
            for name, row in rows.items()
        )
        file.write(
            f'{{"transformers":"{transformers.__version__}","keys":[\n'
            f'{keys}],\n"families":{{\n{families}}}}}\n'
        )


if __name__ == "__main__":
    main()
