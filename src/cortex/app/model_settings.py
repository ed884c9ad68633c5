"""The settings of models: what makes vectors, and the language model."""

from __future__ import annotations

from cortex.app.setting import (
    NUMBER,
    TRUTH,
    WHOLE,
    Setting,
    key,
    model,
    one_of,
    optional_dim,
    optional_one_of,
    plain,
    price,
    switch,
    time_limit,
    whole,
)

BACKENDS = ("openrouter", "ollama", "openai", "gemini", "anthropic", "none")

EMBEDDER_SETTINGS = (
    Setting("embed_provider", ("CORTEX_EMBED_PROVIDER", "CORTEX_EMBEDDING_PROVIDER"), "local",
            one_of("local", "openai", "gemini", "openrouter", "ollama"),
            "What makes vectors: local is the model that is installed with Cortex; all others send texts away."),
    Setting("embed_model", ("CORTEX_EMBED_MODEL", "CORTEX_EMBEDDING_MODEL"), "all-MiniLM-L6-v2", model,
            "The model: all-MiniLM-L6-v2, the path of a folder with model.onnx and tokenizer.json, or a model of the "
            "provider; a name that only OpenAI or Gemini has chooses that provider."),
    Setting("embed_dim", ("CORTEX_EMBED_DIM", "CORTEX_EMBEDDING_DIMENSIONS"), "", optional_dim,
            "The dimension the model must have; empty means whatever it has.", WHOLE),
    Setting("embed_api_key", ("CORTEX_EMBED_API_KEY", "CORTEX_EMBEDDING_API_KEY"), "", key,
            "The key for a remote embedder; empty means the key that is named after its provider.", secret=True),
    Setting("embed_base_url", ("CORTEX_EMBED_BASE_URL",), "", plain,
            "Another server with the API of the provider, for vectors, such as http://127.0.0.1:1234/v1."),
    Setting("embed_threads", ("CORTEX_EMBED_THREADS",), "1", whole(1, 256), "Processor threads for embedding.",
            WHOLE),
    Setting("embed_wait", ("CORTEX_EMBED_WAIT",), "false", switch,
            "MCP only: wait for the model when it is still loading, instead of answering by words and saying so.",
            TRUTH),
    Setting("token_vectors", ("CORTEX_TOKEN_VECTORS",), "true", switch,
            "Keep a vector of each token too, 64 bytes each; the ranking conversation finds less without.",
            TRUTH),
)  # fmt: skip

LLM_SETTINGS = (
    Setting("llm_backend", ("CORTEX_LLM_BACKEND",), "", optional_one_of(*BACKENDS),
            "Which language model: openrouter, ollama, openai, gemini, anthropic or none; empty: the first of them "
            "whose key or address is set."),
    Setting("llm_model", ("CORTEX_LLM_MODEL",), "", plain,
            "The name of the model; empty: gpt-4o-mini, qwen3, gemini-2.5-flash-lite or claude-haiku-4-5."),
    Setting("extract_model", ("CORTEX_EXTRACT_MODEL",), "", plain,
            "The model for what is done when a memory is written, where it is another one than the backend's."),
    Setting("llm_api_key", ("CORTEX_LLM_API_KEY",), "", key,
            "The key of the provider that CORTEX_LLM_PROVIDER names, or else of the chosen backend.", secret=True),
    Setting("llm_provider", ("CORTEX_LLM_PROVIDER",), "", optional_one_of(*BACKENDS[:-1]),
            "Whose key CORTEX_LLM_API_KEY is; empty means openai."),
    Setting("llm_base_url", ("CORTEX_LLM_BASE_URL",), "", plain,
            "Another server with the API of openai, gemini or anthropic, such as http://127.0.0.1:1234/v1; it is sent "
            "no key but CORTEX_LLM_API_KEY."),
    Setting("llm_timeout", ("CORTEX_LLM_TIMEOUT",), "90", time_limit,
            "Seconds that one call of a model may take, repetitions included, where nobody waits for it.", NUMBER),
    Setting("llm_price_in", ("CORTEX_LLM_PRICE_IN",), "", price,
            "What a million tokens cost that the language model reads, for the count of costs; empty: not known.",
            NUMBER),
    Setting("llm_price_out", ("CORTEX_LLM_PRICE_OUT",), "", price,
            "What a million tokens cost that the language model writes.", NUMBER),
    Setting("openrouter_api_key", ("OPENROUTER_API_KEY",), "", key, "The key for OpenRouter.", secret=True),
    Setting("openrouter_model", ("OPENROUTER_MODEL",), "google/gemma-4-27b-it:free", plain,
            "The model at OpenRouter; where it is not set CORTEX_LLM_MODEL is taken."),
    Setting("openrouter_base_url", ("OPENROUTER_BASE_URL",), "https://openrouter.ai/api/v1", plain,
            "The address of OpenRouter."),
    Setting("ollama_url", ("OLLAMA_URL",), "http://localhost:11434", plain, "The address of Ollama."),
    Setting("openai_api_key", ("OPENAI_API_KEY",), "", key, "The key for OpenAI; alone it switches nothing on.",
            secret=True),
    Setting("gemini_api_key", ("GEMINI_API_KEY",), "", key, "The key for Gemini.", secret=True),
    Setting("google_api_key", ("GOOGLE_API_KEY",), "", key, "The key for Gemini, where GEMINI_API_KEY is not set.",
            secret=True),
    Setting("anthropic_api_key", ("ANTHROPIC_API_KEY",), "", key, "The key for Anthropic.", secret=True),
)  # fmt: skip
