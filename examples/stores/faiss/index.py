#!/usr/bin/env python3
"""Builds a faiss index from the output of `contrastive encode`, and searches it.

index.py build  vectors.npy texts.faiss      vectors [texts, d] in, an HNSW index out
index.py search texts.faiss questions.npy    prints the question's number, the text's number and the
                                             cosine of ten hits each, separated by tabs
"""

import sys

import faiss
import numpy


def unit_vectors(path):
    """Reads vectors and normalizes them, so that their inner product is the cosine.

    Refuses NaN: faiss accepts it, and then loses rows in searches.
    """
    vectors = numpy.load(path, allow_pickle=False)
    if vectors.ndim != 2 or vectors.dtype != numpy.float32:
        sys.exit(
            f"{path}: holds {vectors.dtype} of shape {vectors.shape}; float32 [rows, d] is "
            f"needed, as contrastive encode writes it"
        )
    bad = numpy.flatnonzero(~numpy.isfinite(vectors).all(axis=1))
    if bad.size:
        sys.exit(
            f"{path}: row {bad[0]} holds NaN or infinity ({bad.size} such rows): embed those "
            f"texts again, or leave them out"
        )
    faiss.normalize_L2(vectors)
    return vectors


def build(vectors_file, index_file):
    vectors = unit_vectors(vectors_file)
    index = faiss.IndexHNSWFlat(
        vectors.shape[1], 16, faiss.METRIC_INNER_PRODUCT
    )  # 16 neighbours per vector, the default of pgvector and Lucene
    index.hnsw.efConstruction = 64
    index.add(vectors)
    faiss.write_index(index, index_file)
    print(f"{index_file}: {index.ntotal} vectors of {index.d} dimensions")


def search(index_file, questions_file):
    index = faiss.read_index(index_file)
    questions = unit_vectors(questions_file)
    if questions.shape[1] != index.d:
        sys.exit(
            f"{questions_file}: vectors of {questions.shape[1]} dimensions; {index_file} has "
            f"{index.d}: encode both with the same model"
        )
    index.hnsw.efSearch = 40  # candidates per search: more give a higher recall and take longer
    for question, (cosines, ids) in enumerate(zip(*index.search(questions, 10))):
        for cosine, text in zip(cosines, ids):
            if text >= 0:  # -1: the index has fewer vectors
                print(question, text, f"{cosine:.6f}", sep="\t")


if len(sys.argv) == 4 and sys.argv[1] in ("build", "search"):
    {"build": build, "search": search}[sys.argv[1]](*sys.argv[2:])
else:
    sys.exit(__doc__)
