"""sentence-transformers behind uvicorn, as such servers are commonly written: one model, a thread
for each request. serve_peer.py MODEL PORT THREADS"""

import base64
import sys

import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sentence_transformers import SentenceTransformer

model_folder, port, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(threads)
model = SentenceTransformer(model_folder, device="cpu")
app = FastAPI()


class Body(BaseModel):
    input: list[str]
    model: str
    encoding_format: str = "float"


@app.get("/health")
def health():
    return {"status": "ok"}


@app.post("/v1/embeddings")
def embeddings(body: Body):
    vectors = model.encode(body.input, normalize_embeddings=True, show_progress_bar=False)
    data = [
        {
            "object": "embedding",
            "index": i,
            "embedding": base64.b64encode(row.tobytes()).decode()
            if body.encoding_format == "base64"
            else row.tolist(),
        }
        for i, row in enumerate(vectors)
    ]
    return {
        "object": "list",
        "data": data,
        "model": body.model,
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }


uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
