//! Tests of rerankers: scores, rankings, labels, saving, refused calls.
mod common;

use common::{config, fails, repository};
use contrastive::{Cancel, ErrorKind, RerankOptions, Reranker, Trainer};

fn reranker(name: &str) -> Reranker {
    Reranker::load(repository().join("tests/fixtures/rerankers").join(name))
        .expect("the fixture loads")
}

fn golden(name: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(
        repository().join("tests/fixtures/rerankers").join(name).join("golden.json"),
    )
    .unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn scores_are_those_of_sentence_transformers() {
    for name in ["bert", "bert_labels", "roberta"] {
        let (model, golden) = (reranker(name), golden(name));
        let pairs: Vec<(String, String)> = serde_json::from_value(golden["pairs"].clone()).unwrap();
        let expected: Vec<Vec<f32>> = serde_json::from_value(golden["scores"].clone()).unwrap();
        assert_eq!(serde_json::json!(model.info().unwrap().labels), golden["labels"]);
        assert_eq!(model.labels(), expected[0].len());
        let scores = model.score_pairs(&pairs, RerankOptions::default()).unwrap();
        for (score, expected) in scores.iter().zip(expected.concat()) {
            assert!((score - expected).abs() < 1e-5, "{name}: {score} and {expected}");
        }
        let documents: Vec<&String> = pairs[..5].iter().map(|(_, document)| document).collect();
        for (one, all) in model.score(&pairs[0].0, &documents).unwrap().iter().zip(&scores) {
            assert!((one - all).abs() < 1e-6);
        }
    }
}

#[test]
fn the_best_document_comes_first() {
    let model = reranker("bert");
    let documents = ["a hare ran!", "trees", "", "is 7 odd?"];
    let ranked = model.rank("no one here", &documents).unwrap();
    let scores = model.score("no one here", &documents).unwrap();
    assert_eq!(ranked.len(), 4);
    assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert!(ranked.iter().all(|ranked| ranked.score == scores[ranked.index]));
    assert!(model.rank("no one", &[] as &[&str]).unwrap().is_empty());
    fails(reranker("bert_labels").rank("a", &["b"]), ErrorKind::Argument, "3 labels");
}

#[test]
fn it_is_evaluated() {
    let model = reranker("bert");
    let lists = std::env::temp_dir().join(format!("contrastive-lists-{}.tsv", std::process::id()));
    std::fs::write(&lists, "q\tright\twrong\nr\twrong\tright\n").unwrap();
    let keys = config(&serde_json::json!({"data": lists}).to_string());
    let report = model.evaluate("reranking", &keys).unwrap();
    assert_eq!(report.number(&["queries"]), Some(2.0));
    fails(model.evaluate("geometry", &keys), ErrorKind::Argument, "sts, reranking");
    std::fs::remove_file(&lists).unwrap();
}

#[test]
fn options_say_how() {
    let model = reranker("bert");
    let logits = model
        .score_with(
            "no one",
            &["a stone"],
            RerankOptions { activation: Some("identity"), ..Default::default() },
        )
        .unwrap();
    let scores = model.score("no one", &["a stone"]).unwrap();
    assert!((1.0 / (1.0 + (-logits[0]).exp()) - scores[0]).abs() < 1e-6);
    let wrong = RerankOptions { activation: Some("sigmiod"), ..Default::default() };
    fails(model.score_with("a", &["b"], wrong), ErrorKind::Argument, "sigmoid");
    let cancel = Cancel::new().unwrap();
    cancel.trigger();
    fails(
        model.score_with(
            "a",
            &["b"],
            RerankOptions { cancel: Some(&cancel), ..Default::default() },
        ),
        ErrorKind::Cancelled,
        "",
    );
}

#[test]
fn it_is_saved_and_loaded() {
    let (model, folder) = (reranker("roberta"), tempfile::tempdir().unwrap());
    model.save(folder.path().join("saved")).unwrap();
    let again = Reranker::load(folder.path().join("saved")).unwrap();
    assert_eq!(
        again.score("no one", &["a stone", "trees"]).unwrap(),
        model.score("no one", &["a stone", "trees"]).unwrap()
    );
    assert_eq!(again.max_length(), 48);
    fails(
        Reranker::load(repository().join("tests/fixtures/families/bert")),
        ErrorKind::Mismatch,
        "classifier",
    );
    assert!(Reranker::detect(repository().join("tests/fixtures/rerankers/bert")));
    assert!(!Reranker::detect(repository().join("tests/fixtures/models/bert_st")));
    assert!(!Reranker::detect("a\0b"));
    fails(
        Reranker::load_with(folder.path().join("saved"), &config(r#"{"pooling": "mean"}"#)),
        ErrorKind::Argument,
        "pooling",
    );
}

fn triplets(folder: &std::path::Path) -> contrastive::Dataset {
    let path = folder.join("triplets.jsonl");
    let rows = concat!(
        r#"{"anchor": "a cat runs", "positive": "the cat ran", "negative": "red fish"}"#,
        "\n",
        r#"{"anchor": "two birds", "positive": "birds in the air", "negative": "a house"}"#,
        "\n",
        r#"{"anchor": "a dog", "positive": "the old dog", "negative": "the sun"}"#,
        "\n",
    );
    std::fs::write(&path, rows).unwrap();
    contrastive::Dataset::open(path).unwrap()
}

#[test]
fn rerankers_train_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (start, data) = (reranker("bert"), triplets(folder.path()));
    let keys = config(
        r#"{"method": "reranker", "reranker.loss": "listwise", "batch_size": 2,
            "max_steps": 4, "lr": 0.01}"#,
    );
    let mut trainer = Trainer::of_reranker(&start, &data, &keys).unwrap();
    assert!(trainer.step().is_ok() && trainer.step().is_ok());
    let run = folder.path().join("run");
    trainer.save(&run).unwrap();
    let mut resumed = Trainer::resume_reranker(&run, &start, &data, None).unwrap();
    assert_eq!(trainer.run().count(), 2);
    assert_eq!(resumed.run().count(), 2);
    let score = |model: &Reranker| model.score("a cat runs", &["the cat ran"]).unwrap()[0];
    assert_eq!(score(&trainer.reranker().unwrap()), score(&resumed.best_reranker().unwrap()));
    assert_ne!(score(&trainer.reranker().unwrap()), score(&start));
    fails(trainer.model(), ErrorKind::State, "trains a reranker");
    fails(
        Trainer::of_reranker(&start, &data, &config(r#"{"method": "simcse"}"#)),
        ErrorKind::Argument,
        "trains sentence encoders",
    );
}
