#!/usr/bin/env python3
"""Twenty updates of MultipleNegativesRanking in plain PyTorch, with and without a dense module
behind the pooling, in all directions, and with a guide: mnrl.json and mnrl.golden.safetensors,
which tuning_golden_test.cpp holds the library to. Before that the loss itself is compared with
sentence-transformers' own, in all its forms; their values on random vectors are kept for the test
of the objectives.

    python tests/golden/methods/mnrl.py
"""

import torch
import torch.nn.functional as F
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import (
    GISTEmbedLoss,
    MultipleNegativesRankingLoss,
    MultipleNegativesSymmetricRankingLoss,
)

import plain
from counter_rng import normal_matrix
from golden_file import golden_case, write

WIDTH = 12
GUIDE = plain.MODEL.parent / "bert_st_old"
ALL = ("query_to_doc", "query_to_query", "doc_to_query", "doc_to_doc")
DEFAULTS = {
    **plain.TRAINER,
    "method": "mnrl",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "mnrl.dropout": False,
}


def ranking_loss(a, b, negatives, scale, similarity="cosine", symmetric=False):
    candidates = torch.cat([b, negatives]) if len(negatives) else b
    scores = scale * (plain.cosines(a, candidates) if similarity == "cosine" else a @ candidates.T)
    labels = torch.arange(len(a))
    forward = F.cross_entropy(scores, labels)
    return (forward + F.cross_entropy(scores[:, : len(a)].T, labels)) / 2 if symmetric else forward


def compare_with_sentence_transformers(batch):
    model = SentenceTransformer(str(plain.MODEL)).double().eval()
    encoder = plain.Encoder()
    texts = [batch["a"], batch["b"], [n[0] for n in batch["negatives"]]]
    features = [model.tokenize(column) for column in texts]
    with torch.no_grad():
        a, b, negatives = (encoder.mean(column) for column in texts)
        ours, theirs = (
            ranking_loss(a, b, negatives, 20),
            MultipleNegativesRankingLoss(model, scale=20.0)(features, None),
        )
        assert abs(ours - theirs) < 1e-9, (ours, theirs)
        print(f"as sentence-transformers computes it, with hard negatives: {ours:.9f} {theirs:.9f}")
        ours, theirs = (
            ranking_loss(a, b, [], 20, symmetric=True),
            MultipleNegativesSymmetricRankingLoss(model, scale=20.0)(features[:2], None),
        )
        assert abs(ours - theirs) < 1e-9, (ours, theirs)
        print(f"as sentence-transformers computes it, in both directions: {ours:.9f} {theirs:.9f}")


def directed_loss(
    a,
    b,
    negatives,
    scale,
    directions=ALL,
    hardness=None,
    strength=0.0,
    guides=None,
    margin=0.0,
    relative=False,
):
    """One softmax over the directions, by a loop over its terms. `negatives`: one for each anchor,
    or none."""
    cos = lambda x, y: float(F.cosine_similarity(x, y, dim=0))
    n, terms_of = len(a), []
    docs = [("b", k) for k in range(n)] + [("n", k) for k in range(len(negatives))]
    vector = lambda doc: b[doc[1]] if doc[0] == "b" else negatives[doc[1]]
    for i in range(n):
        limit = None
        if guides:
            own = cos(guides[0][i], guides[1][i])
            limit = own - (abs(own) * margin if relative else margin)
        guided = lambda x, y: guides is None or cos(x, y) <= limit
        guide_of = lambda doc: guides[1][doc[1]] if doc[0] == "b" else guides[2][doc[1]]
        terms = []
        for doc in docs:
            own = doc[1] == i
            if not (doc == ("b", i) or guided(guides and guides[0][i], guides and guide_of(doc))):
                continue
            s = F.cosine_similarity(a[i], vector(doc), dim=0)
            harder = {
                None: False,
                "in_batch_negatives": not own,
                "hard_negatives": own and doc[0] == "n",
                "all_negatives": doc != ("b", i),
            }[hardness]
            terms.append(scale * s + (strength * s.detach() if harder else 0))
        for k in range(n):
            if (
                "query_to_query" in directions
                and k != i
                and guided(guides and guides[0][i], guides and guides[0][k])
            ):
                terms.append(scale * F.cosine_similarity(a[i], a[k], dim=0))
            if "doc_to_query" in directions and (
                k == i or guided(guides and guides[1][i], guides and guides[0][k])
            ):
                terms.append(scale * F.cosine_similarity(b[i], a[k], dim=0))
        for doc in docs:
            if (
                "doc_to_doc" in directions
                and doc[1] != i
                and guided(guides and guides[1][i], guides and guide_of(doc))
            ):
                terms.append(scale * F.cosine_similarity(b[i], vector(doc), dim=0))
        terms_of.append(
            torch.logsumexp(torch.stack(terms), 0) - scale * F.cosine_similarity(a[i], b[i], dim=0)
        )
    return torch.stack(terms_of).mean()


def reference():
    """Random vectors, and the values of sentence-transformers' loss in its forms."""
    torch.manual_seed(6)
    a, b, negatives = (torch.randn(5, 6, dtype=torch.double) for _ in range(3))
    found = {"a": a.tolist(), "b": b.tolist(), "negatives": negatives.tolist(), "cases": []}
    for directions in (ALL[:1], ALL[:2], (ALL[0], ALL[2]), (ALL[0], ALL[3]), ALL):
        for hardness, strength in (
            (None, 0.0),
            ("in_batch_negatives", 9.0),
            ("hard_negatives", 5.0),
            ("all_negatives", 2.0),
        ):
            for with_negatives in (False, True):
                loss = MultipleNegativesRankingLoss(
                    None,
                    scale=4.0,
                    directions=directions,
                    hardness_mode=hardness,
                    hardness_strength=strength,
                )
                theirs = float(
                    loss.compute_loss_from_embeddings(
                        [a, b] + ([negatives] if with_negatives else []), None
                    )
                )
                ours = float(
                    directed_loss(
                        a,
                        b,
                        negatives if with_negatives else [],
                        4.0,
                        directions,
                        hardness,
                        strength,
                    )
                )
                assert abs(ours - theirs) < 1e-9, (directions, hardness, ours, theirs)
                found["cases"].append(
                    {
                        "directions": directions,
                        "hardness": hardness or "none",
                        "strength": strength,
                        "negatives": with_negatives,
                        "loss": theirs,
                    }
                )
    print(f"{len(found['cases'])} forms as sentence-transformers computes them")
    return found


def guide_vectors(guide, texts):
    return torch.tensor(guide.encode(texts)).double() if texts else []


def compare_guided(batch):
    """GISTEmbedLoss, which has the directions query_to_doc, query_to_query and, among second texts
    alone, doc_to_doc."""
    model, guide = (
        SentenceTransformer(str(folder), device="cpu").double().eval()
        for folder in (plain.MODEL, GUIDE)
    )
    # GISTEmbedLoss puts no prompt before the guide's texts; the library puts the guide's own
    guide.default_prompt_name = None
    encoder, texts = plain.Encoder(), [batch["a"], batch["b"], [n[0] for n in batch["negatives"]]]
    for margin, relative in ((0.0, False), (0.05, False), (0.1, True), (-0.02, False)):
        for columns, contrast in ((2, True), (2, False), (3, False)):
            loss = GISTEmbedLoss(
                model,
                guide,
                temperature=0.05,
                margin_strategy="relative" if relative else "absolute",
                margin=margin,
                contrast_anchors=contrast,
                contrast_positives=contrast,
            )
            with torch.no_grad():
                theirs = float(loss([model.tokenize(column) for column in texts[:columns]], None))
                vectors, guides = (
                    [f(t) for t in texts[:columns]] + [[]] * (3 - columns)
                    for f in (encoder.mean, lambda t: guide_vectors(guide, t))
                )
                ours = float(
                    directed_loss(
                        *vectors,
                        20.0,
                        (ALL[0], ALL[1], ALL[3]) if contrast else ALL[:1],
                        guides=guides,
                        margin=margin,
                        relative=relative,
                    )
                )
            assert abs(ours - theirs) < 1e-6, (margin, relative, columns, contrast, ours, theirs)
            print(
                f"as GISTEmbedLoss computes it, margin {margin}, relative {relative}, {columns} "
                f"columns: {ours:.9f} {theirs:.9f}"
            )


def run(changes, batches, with_negatives, with_dense):
    config = {**DEFAULTS, **changes}
    encoder, dense, extra = plain.Encoder(), {}, {"negatives": with_negatives}
    if with_dense:
        first = torch.tensor(normal_matrix(WIDTH, 32, 0.3, 1, 7)).float()
        extra["dense"] = {
            "weight": first.tolist(),
            "bias": [0.125 * (i % 3 - 1) for i in range(WIDTH)],
        }
        dense = {
            "dense.0.weight": first.double().requires_grad_(True),
            "dense.0.bias": torch.tensor(
                extra["dense"]["bias"], dtype=torch.double, requires_grad=True
            ),
        }

    def vectors(texts):
        x = encoder.mean(texts)
        if dense:
            x = torch.tanh(x @ dense["dense.0.weight"].T + dense["dense.0.bias"])
        return F.normalize(x, dim=1)  # the model ends in a Normalize module

    guide = (
        SentenceTransformer(str(GUIDE), device="cpu").double().eval()
        if "mnrl.guide" in config
        else None
    )

    def loss(step):
        batch = batches[step]
        negative_texts = (
            [t for texts in batch["negatives"] for t in texts] if with_negatives else []
        )
        negatives = vectors(negative_texts) if with_negatives else []
        if "mnrl.directions" in config or guide:
            guides = (
                [guide_vectors(guide, texts) for texts in (batch["a"], batch["b"], negative_texts)]
                if guide
                else None
            )
            return directed_loss(
                vectors(batch["a"]),
                vectors(batch["b"]),
                negatives,
                config.get("mnrl.scale", 20.0),
                config.get("mnrl.directions", ALL[:1]),
                config.get("mnrl.hardness"),
                config.get("mnrl.hardness_strength", 0.0),
                guides,
                config.get("mnrl.guide_margin", 0.0),
                config.get("mnrl.guide_margin_strategy") == "relative",
            )
        return ranking_loss(
            vectors(batch["a"]),
            vectors(batch["b"]),
            negatives,
            config.get("mnrl.scale", 20.0),
            config.get("mnrl.similarity", "cosine"),
            config.get("mnrl.symmetric", False),
        )

    trained = {**encoder.trainable(), **dense}
    return golden_case(config, plain.train(trained, loss, config), trained, **extra)


def main():
    batches = []
    for i in range(plain.STEPS):
        a, b, c = (plain.sentences(5000 + 10 * k + 100 * i, plain.BATCH) for k in range(3))
        batches.append({"a": a, "b": b, "negatives": [[text] for text in c]})
    compare_with_sentence_transformers(batches[0])
    compare_guided(batches[0])
    cases = {
        "pairs": run({}, batches, False, False),
        "hard-negatives": run({}, batches, True, False),
        "symmetric": run({"mnrl.symmetric": True, "mnrl.scale": 10.0}, batches, False, False),
        "dense": run({"mnrl.similarity": "dot", "mnrl.scale": 15.0}, batches, True, True),
        "directions": run(
            {
                "mnrl.directions": list(ALL),
                "mnrl.hardness": "all_negatives",
                "mnrl.hardness_strength": 3.0,
            },
            batches,
            True,
            False,
        ),
        "guide": run(
            {
                "mnrl.directions": list(ALL[:2]),
                "mnrl.guide": GUIDE.name,
                "mnrl.guide_margin": 0.05,
                "mnrl.guide_margin_strategy": "relative",
            },
            batches,
            True,
            False,
        ),
    }
    write("mnrl", cases, batches=batches, objectives=reference())


if __name__ == "__main__":
    main()
