//! Mines hard negatives. C++ tests the mining itself; this tests the call.
mod common;

use common::{config, fails, load, pairs};
use contrastive::{Cancel, Dataset, ErrorKind};

#[test]
fn negatives_are_written_and_reported() {
    let (model, data, folder) = (load(), pairs(), tempfile::tempdir().unwrap());
    let corpus = Dataset::from_examples(["a cat runs", "the birds sit", "red fish"]).unwrap();
    let (output, none) = (folder.path().join("mined.jsonl"), folder.path().join("none.jsonl"));
    let keys =
        config(r#"{"relative_margin": -1e9, "num_negatives": 2, "output_format": "n-tuple"}"#);
    let report = model.mine(&data, &corpus, &output, &keys).unwrap();
    assert_eq!((report.number(&["rows"]), report.number(&["documents"])), (Some(8.0), Some(11.0)));
    assert_eq!(Dataset::open(&output).unwrap().len(), 8);
    let guided =
        model.mine_with(&data, None, &output, &keys, &model, &Cancel::new().unwrap()).unwrap();
    assert_eq!(guided.number(&["negatives"]), Some(16.0));
    let rerankers = common::repository().join("tests/fixtures/rerankers");
    let guide = contrastive::Reranker::load(rerankers.join("bert")).unwrap();
    let reranked = model.mine_reranked(&data, None, &output, &keys, &guide, None).unwrap();
    assert_eq!(reranked.number(&["negatives"]), Some(16.0));
    let labels = contrastive::Reranker::load(rerankers.join("bert_labels")).unwrap();
    fails(
        model.mine_reranked(&data, None, &none, None, &labels, None),
        ErrorKind::Argument,
        "labels",
    );

    fails(
        model.mine(&data, None, &none, &config(r#"{"num_negativs": 1}"#)),
        ErrorKind::Argument,
        "num_negatives",
    );
    fails(
        model.mine(&data, None, folder.path().join("none.csv"), None),
        ErrorKind::Argument,
        ".jsonl",
    );
    let cancel = Cancel::new().unwrap();
    cancel.trigger();
    fails(model.mine_with(&data, None, &none, None, None, &cancel), ErrorKind::Cancelled, "");
    assert!(!none.exists());
}
