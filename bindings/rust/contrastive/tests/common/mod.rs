//! Helpers of the tests: the tiny model of the fixtures, pairs, runs, and checks of how a call
//! failed.
#![allow(dead_code)] // each test program uses only some of it

use std::path::PathBuf;
use std::sync::Once;

use contrastive::{Config, Dataset, ErrorKind, Model, Result, Trainer};

pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .canonicalize()
        .expect("the tests need the repository around this crate")
}

pub fn fixture(name: &str) -> PathBuf {
    repository().join("tests/fixtures/models").join(name)
}

/// The tiny model. Uses one thread, because several would only wait for each other.
pub fn load() -> Model {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| contrastive::set_threads(1).expect("one thread"));
    Model::load(fixture("bert_st")).expect("the fixture loads")
}

pub const PAIRS: [(&str, &str); 8] = [
    ("the cat sat", "a cat sits"),
    ("a dog runs", "the dog ran"),
    ("two birds fly", "birds in the air"),
    ("the old house", "a very old house"),
    ("red and blue", "blue and red"),
    ("one man walks", "a man is walking"),
    ("she eats fish", "fish is eaten"),
    ("it is closed", "closed today"),
];

pub fn pairs() -> Dataset {
    Dataset::from_examples(PAIRS).expect("eight pairs")
}

pub fn config(json: &str) -> Config {
    Config::from_json(json).expect("JSON")
}

/// A run of six steps, with the additional keys `more`.
pub fn begin<'d>(model: &Model, data: impl Into<Option<&'d Dataset>>, more: &str) -> Trainer {
    let data = data.into();
    let mut keys = config(r#"{"method": "clsr", "max_steps": 6, "lr": 0.01}"#);
    if data.is_some() {
        keys.set("batch_size", 4).unwrap();
    }
    keys.merge(&config(more)).unwrap();
    Trainer::new(model, data, &keys).expect("a run begins")
}

/// Checks that a call failed with this kind and this part of its message.
#[track_caller]
pub fn fails<T>(result: Result<T>, kind: ErrorKind, part: &str) {
    let error = result
        .err()
        .unwrap_or_else(|| panic!("no error; one of kind {kind:?} with '{part}' was expected"));
    assert!(
        error.kind() == kind && error.message().contains(part),
        "{:?}: {error}; {kind:?} with '{part}' was expected",
        error.kind()
    );
}
