"""LlamaIndex's VectorMemoryBlock, the retrieval block of its Memory, over ChromaDB in a folder."""

import asyncio
import json
import re
from collections import defaultdict
from pathlib import Path

import chromadb
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.memory import VectorMemoryBlock
from llama_index.vector_stores.chroma import ChromaVectorStore
from pydantic import PrivateAttr
from shim import serve


class Plug(BaseEmbedding):
    """The shared embedder as LlamaIndex asks for it."""

    _embed = PrivateAttr()

    def _get_text_embedding(self, text):
        return self._embed.one(text)

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query):
        return self._embed.one(query)


class LlamaIndex:
    """A session is a user. The block gives ids of its own, so ours are found by the text."""

    def open(self, path, embed):
        """Open the folder, and the file that tells which id a text has."""
        client = chromadb.PersistentClient(f"{path}/chroma")
        self._collection = client.get_or_create_collection("memories", configuration={"hnsw": {"space": "cosine"}})
        self._store, self._plug = ChromaVectorStore(chroma_collection=self._collection), Plug()
        self._plug._embed, self._runner, self._blocks, self._keys = embed, asyncio.Runner(), {}, defaultdict(list)
        self._names = (Path(path) / "keys.jsonl").open("a+", encoding="utf-8")
        self._names.seek(0)
        for user, text, key in map(json.loads, self._names):
            self._keys[user, text].append(key)

    def add(self, user, items):
        """One call a memory: what is put together becomes one node."""
        for item in items:
            text = f"<message role='user'>{item['plain']}</message>"
            self._keys[user, text].append(item["id"])
            print(json.dumps([user, text, item["id"]]), file=self._names, flush=True)
            message = ChatMessage(role="user", content=item["plain"], additional_kwargs={"session_id": user})
            self._runner.run(self._block(user, 10).aput([message]))

    def search(self, user, query, k):
        """The nearest of the session."""
        asked = [ChatMessage(role="user", content=query)]
        answer = self._runner.run(self._block(user, k).aget(asked, session_id=user))
        return self._named(user, re.findall(r"<message role='user'>.*?</message>", answer, re.DOTALL))

    def ids(self, user):
        """Every memory of the session."""
        return self._named(user, self._collection.get(where={"session_id": user}, include=["documents"])["documents"])

    def close(self):
        """End the loop."""
        self._runner.close()

    def _block(self, user, k):
        if (user, k) not in self._blocks:
            options = {"vector_store": self._store, "embed_model": self._plug}
            self._blocks[user, k] = VectorMemoryBlock(similarity_top_k=k, **options)
        return self._blocks[user, k]

    def _named(self, user, texts):
        left = {text: iter(self._keys[user, text]) for text in texts}
        return [next(left[text]) for text in texts]


serve(LlamaIndex())
