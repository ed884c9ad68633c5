"""ChromaDB in a folder, as agents use it for memory when nothing is built on top."""

import chromadb
from shim import serve


class Chroma:
    """A collection is a user."""

    def open(self, path, embed):
        """Open the folder."""
        self._client, self._embed = chromadb.PersistentClient(f"{path}/chroma"), embed

    def add(self, user, items):
        """One call a batch."""
        texts = [item["plain"] for item in items]
        self._of(user).add(ids=[item["id"] for item in items], documents=texts, embeddings=self._embed(texts))

    def search(self, user, query, k):
        """The nearest of the collection."""
        found = self._of(user).query(query_embeddings=self._embed([query]), n_results=k, include=["documents"])
        return found["ids"][0]

    def ids(self, user):
        """Every memory of the collection."""
        return self._of(user).get(include=[])["ids"]

    def close(self):
        """Nothing to release."""

    def _of(self, user):
        # Cosine, since that is what the vectors are made for.
        space = {"hnsw": {"space": "cosine"}}
        return self._client.get_or_create_collection(user, embedding_function=None, configuration=space)


serve(Chroma())
