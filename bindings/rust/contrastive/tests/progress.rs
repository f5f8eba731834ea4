//! Tests of the listeners that hear of the progress of calls.
mod common;

use std::sync::{Arc, Mutex};

use common::{config, fails, fixture, load, pairs};
use contrastive::{Cancel, EncodeOptions, ErrorKind, Model, Vectors};

type Heard = Arc<Mutex<Vec<(String, u64, Option<u64>)>>>;

/// A flag, and what its listener hears.
fn listening() -> (Cancel, Heard) {
    let (cancel, heard) = (Cancel::new().unwrap(), Heard::default());
    let kept = heard.clone();
    cancel
        .set_progress(move |progress| {
            kept.lock().unwrap().push((progress.what.to_string(), progress.done, progress.total));
        })
        .unwrap();
    (cancel, heard)
}

fn texts(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("the cat sat {i}")).collect()
}

fn encode(model: &Model, cancel: &Cancel, n: usize) -> contrastive::Result<Vectors> {
    let options =
        EncodeOptions { cancel: Some(cancel), batch_tokens: 64, ..EncodeOptions::default() };
    model.encode_with(texts(n), options)
}

#[test]
fn encoding_reports_its_progress() {
    let (cancel, heard) = listening();
    let model = load();
    encode(&model, &cancel, 500).unwrap();
    let heard = heard.lock().unwrap();
    let last = heard.last().expect("the end of the phase is reported");
    assert!(last.0.contains("texts") && last.1 == 500 && last.2 == Some(500), "{last:?}");
    assert!(heard.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{heard:?}");
}

#[test]
fn evaluation_and_mining_report_their_progress() {
    let model = load();
    let (cancel, heard) = listening();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sts.tsv");
    std::fs::write(&file, "4.5\tthe cat sat\ta cat sits\n1\ta dog runs\tit is closed\n3\tx\ty\n")
        .unwrap();
    let mut keys = config("{}");
    keys.set("data", &file).unwrap();
    model.evaluate_with("sts", &keys, &cancel).unwrap();
    assert!(!heard.lock().unwrap().is_empty(), "an evaluation reports nothing");
    let (cancel, heard) = listening();
    model
        .mine_with(&pairs(), None, folder.path().join("mined.jsonl"), None, None, &cancel)
        .unwrap();
    assert!(!heard.lock().unwrap().is_empty(), "mining reports nothing");
}

#[test]
fn a_listener_may_cancel_and_nothing_else() {
    let model = load();
    let cancel = Cancel::new().unwrap();
    cancel.set_progress(|progress| progress.cancel()).unwrap();
    fails(encode(&model, &cancel, 20_000), ErrorKind::Cancelled, "");

    let cancel = Arc::new(Cancel::new().unwrap());
    let (weak, results) = (Arc::downgrade(&cancel), Arc::new(Mutex::new(Vec::new())));
    let (kept, other) = (results.clone(), model.clone());
    cancel
        .set_progress(move |_| {
            let own = weak.upgrade().expect("the flag lives");
            let kinds = [
                own.clear_progress().err().map(|error| error.kind()),
                other.encode_text("a cat").err().map(|error| error.kind()),
                Model::load(fixture("bert_st")).err().map(|error| error.kind()),
            ];
            kept.lock().unwrap().extend(kinds);
        })
        .unwrap();
    encode(&model, &cancel, 500).unwrap();
    let results = results.lock().unwrap();
    assert!(results.len() >= 3);
    assert!(results.iter().all(|kind| *kind == Some(ErrorKind::Busy)), "{results:?}");
}

#[test]
fn listeners_are_replaced_freed_and_may_panic() {
    let model = load();
    let (cancel, heard) = listening();
    cancel.set_progress(|progress| panic!("on purpose: {progress}")).unwrap();
    assert_eq!(Arc::strong_count(&heard), 1, "the first listener was freed");
    encode(&model, &cancel, 100).unwrap();
    cancel.clear_progress().unwrap();
    encode(&model, &cancel, 100).unwrap();
    assert!(heard.lock().unwrap().is_empty());
    let (cancel, heard) = listening();
    drop(cancel);
    assert_eq!(Arc::strong_count(&heard), 1, "the flag freed its listener");
}
