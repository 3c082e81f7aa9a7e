# SPDX-License-Identifier: Apache-2.0
"""The operators, by family: `gemm` is in the file matrix/gemm.py, unless FILES names another. Operators of gradients (softmax_backward) are in
the same files."""

FAMILIES = {
    "elementwise": "relu gelu gelu_tanh silu sigmoid tanh softplus leaky_relu elu mish hardswish softcap exp log sqrt rsqrt square abs sin "
                   "cos erf clamp add sub mul div maximum minimum pow swiglu geglu bias_gelu "
                   "logsigmoid selu hardsigmoid log1p reciprocal where",
    "reductions": "sum mean max min norm var argmax argmin cumsum topk sort logsumexp",
    "norms": "rms_norm layer_norm add_rms_norm group_norm batch_norm normalize",
    "losses": "softmax log_softmax cross_entropy mse_loss l1_loss huber_loss kl_div",
    "matrix": "gemm linear gemm_int8 gemm_w4a16 gemm_w4a16_nf4 gemm_fp8 gemm_fp8_blocks gemm_split_k gemm_sparse24",
    "attention": "flash_attention attention_decode attention_varlen sliding_attention attention_paged retention "
                 "gated_linear_attention mla_decode mamba2_scan gated_delta_rule block_sparse_attention "
                 "kimi_delta_attention compressed_attention selected_attention native_sparse_attention",
    "embeddings": "embedding rotary gather scatter_add",
    "quantization": "quantize_int8 dequantize_int8 quantize_int4 dequantize_int4 quantize_nf4 dequantize_nf4 "
                    "quantize_mxfp4 dequantize_mxfp4 quantize_fp8 quantize_fp8_blocks compress_sparse24 expand_sparse24",
    "optimizers": "sgd_step adamw_step",
    "experts": "moe_routing moe_permutation grouped_gemm moe_combine token_of_row moe_mlp",
    "transforms": "hadamard conv1d_causal conv2d",
    "random": "dropout",
}
FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names.split()}

# Files of several operators.
FILES = {
    "activations": "relu leaky_relu elu selu sigmoid logsigmoid hardsigmoid silu hardswish tanh softcap softplus mish",
    "functions": "exp log log1p sqrt rsqrt reciprocal square sin cos erf abs clamp",
    "gelu": "gelu_tanh",
    "arithmetic": "add sub mul div maximum minimum pow swiglu geglu",
    "softmax": "log_softmax",
    "differences": "mse_loss l1_loss huber_loss",
    "argmax": "argmin",
    "sparse24": "compress_sparse24 expand_sparse24",
    "int8": "quantize_int8 dequantize_int8",
    "int4": "quantize_int4 dequantize_int4",
    "nf4": "quantize_nf4 dequantize_nf4",
    "mxfp4": "quantize_mxfp4 dequantize_mxfp4",
}
MODULE_OF = {name: f"{family}.{name}" for name, family in FAMILY_OF.items()}
MODULE_OF |= {name: f"{FAMILY_OF[name]}.{file}" for file, names in FILES.items() for name in names.split()}
