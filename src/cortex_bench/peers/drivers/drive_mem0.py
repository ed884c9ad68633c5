"""Mem0 as a library, without a language model: `infer=False`, Qdrant in a local folder, vectors and BM25."""

from fastembed import SparseTextEmbedding
from langchain_core.embeddings import Embeddings
from mem0 import Memory
from shim import DIM, serve
from stop_words import get_stop_words


class Plug(Embeddings):
    """The shared embedder as LangChain asks for it."""

    def __init__(self, embed):
        self._embed = embed

    def embed_documents(self, texts):
        """A list of floats a text."""
        return self._embed.lists(texts)

    def embed_query(self, text):
        """A list of floats."""
        return self._embed.one(text)


class Mem0:
    """`user_id` is the user; our id stands in the metadata."""

    def open(self, path, embed):
        """Open the folder; the model that is named is never called."""
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": f"{path}/qdrant", "on_disk": True, "embedding_model_dims": DIM},
                },
                "embedder": {"provider": "langchain", "config": {"model": Plug(embed)}},
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": f"{path}/history.db",
            }
        )
        # Its encoder for BM25 fetches nothing but a list of stop words from a hub; this list is in a package.
        self._memory.vector_store._bm25_encoder = SparseTextEmbedding(
            "Qdrant/bm25", specific_model_path=path, stopwords=set(get_stop_words("en"))
        )

    def add(self, user, items):
        """One call a memory, since metadata belong to a call."""
        for item in items:
            messages = [{"role": "user", "content": item["plain"]}]
            self._memory.add(messages, user_id=user, metadata={"key": item["id"]}, infer=False)

    def search(self, user, query, k):
        """By meaning; without the threshold, which would only leave results out."""
        found = self._memory.search(query, top_k=k, filters={"user_id": user}, threshold=0.0)
        return [result["metadata"]["key"] for result in found["results"]]

    def ids(self, user):
        """Every memory of the user."""
        found = self._memory.get_all(filters={"user_id": user}, top_k=1_000_000)
        return [result["metadata"]["key"] for result in found["results"]]

    def close(self):
        """Release the folder."""
        self._memory.vector_store.client.close()


serve(Mem0())
