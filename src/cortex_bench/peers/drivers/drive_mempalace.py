"""MemPalace over its default store, ChromaDB in a folder, with its default hybrid search."""

from mempalace import embedding
from mempalace.palace import get_collection
from mempalace.searcher import search_memories
from shim import serve


class MemPalace:
    """A wing is a user, a room a session, a drawer a turn; our id is the drawer's."""

    def open(self, path, embed):
        """Open the palace; its own model is the same one, so the shared embedder answers in its place."""
        built_in = embedding._build_ef_class()

        class Shared(built_in):
            def __call__(self, input):  # noqa: A002 - ChromaDB calls it by this name
                return list(embed(input))

        embedding._build_ef_class = lambda: Shared
        self._path = f"{path}/palace"
        self._drawers = get_collection(self._path, create=True)

    def add(self, user, items):
        """One upsert of drawers, as its tools do."""
        self._drawers.upsert(
            ids=[f"{user}/{item['id']}" for item in items],
            documents=[item["plain"] for item in items],
            metadatas=[
                {
                    "wing": user,
                    "room": item["session"],
                    "source_file": f"{user}-{item['session']}",
                    "added_by": item["speaker"],
                    "filed_at": item["time"],
                    "chunk_index": item["position"],
                }
                for item in items
            ],
        )

    def search(self, user, query, k, strategy="vector"):
        """Vectors, then its own mixture with BM25 over what they found."""
        found = search_memories(query, self._path, wing=user, n_results=k, candidate_strategy=strategy)
        if "error" in found:
            raise RuntimeError(found["error"])
        return [hit["drawer_id"].rpartition("/")[2] for hit in found["results"]]

    def ids(self, user):
        """Every drawer of the wing."""
        return [name.rpartition("/")[2] for name in self._drawers.get(where={"wing": user}, include=[]).ids]

    def close(self):
        """Nothing to release: every write is on its way when the call returns."""


serve(MemPalace())
