//! Adapts a model in one call. C++ tests the adaptation itself; this tests the call.
mod common;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use common::{config, fails, fixture};
use contrastive::{Cancel, Dataset, ErrorKind, Model};

const QUICK: &str = r#""lr": 0.002, "max_steps": 40, "test_share": 0.3, "near_duplicate": 1,
    "mining.relative_margin": -1e9, "resamples": 100"#;

/// 160 pairs; each second text has three words of the first.
fn similar() -> Dataset {
    let words = "the cat dog bird house mat two old new fly run open cafe water tree green red \
        blue small man";
    let words: Vec<&str> = words.split(' ').collect();
    let mut draw = 1u64;
    let mut pairs = Vec::new();
    for _ in 0..160 {
        let w: Vec<&str> = (0..5)
            .map(|_| {
                draw = draw * 48271 % 2147483647;
                words[(draw % 20) as usize]
            })
            .collect();
        pairs.push((w[..4].join(" "), [w[2], w[0], w[3], w[4]].join(" ")));
    }
    Dataset::from_examples(pairs.iter().map(|(a, b)| (a.as_str(), b.as_str()))).unwrap()
}

#[test]
fn a_better_model_is_written_and_no_other() {
    let tokenizer = serde_json::to_string(&fixture("bert_st")).unwrap();
    let recipe = format!(
        r#"{{"tokenizer": {tokenizer}, "layers": 1, "hidden_size": 32, "attention_heads": 2,
            "max_length": 32, "pooling": "mean"}}"#
    );
    let (model, pairs, folder) =
        (Model::create(&config(&recipe)).unwrap(), similar(), tempfile::tempdir().unwrap());
    let corpus = Dataset::from_examples(["one man walks"]).unwrap();
    let (output, none) = (folder.path().join("adapted"), folder.path().join("none"));
    let (listening, heard) = (Cancel::new().unwrap(), Arc::new(Mutex::new(BTreeSet::new())));
    let kept = heard.clone();
    listening
        .set_progress(move |progress| {
            kept.lock().unwrap().insert(progress.what.to_string());
        })
        .unwrap();
    let keys = config(&format!("{{{QUICK}}}"));
    let report = model.adapt_with(&pairs, &corpus, &output, &keys, &listening).unwrap();
    let heard = heard.lock().unwrap();
    assert!(heard.len() > 1, "the phases that were reported: {heard:?}");
    assert!(report.flag(&["shipped"]), "{:?}", report.text(&["reason"]));
    assert!(report.number(&["figures", "ndcg@10", "gain"]).unwrap() > 0.0);
    assert!(report.text(&["reason"]).unwrap().contains("ndcg@10 went from"));
    assert!(Model::load(&output).is_ok());
    let report = model
        .adapt(&pairs, None, &none, &config(&format!(r#"{{{QUICK}, "min_gain": 1}}"#)))
        .unwrap();
    assert!(!report.flag(&["shipped"]));

    fails(
        model.adapt(&corpus, None, &none, None),
        ErrorKind::Argument,
        "a text without a second one",
    );
    fails(
        model.adapt(&pairs, None, &none, &config(r#"{"min_gian": 1}"#)),
        ErrorKind::Argument,
        "min_gain",
    );
    let cancel = Cancel::new().unwrap();
    cancel.trigger();
    fails(model.adapt_with(&pairs, None, &none, None, &cancel), ErrorKind::Cancelled, "");
    assert!(!none.exists());
}
