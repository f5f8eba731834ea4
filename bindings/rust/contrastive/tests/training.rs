//! Tests of datasets, training runs and their results.
mod common;

use std::io::Read;
use std::path::Path;

use common::{begin, config, fails, fixture, load, pairs, PAIRS};
use contrastive::{Cancel, Config, Dataset, ErrorKind, Example, Step, Trainer};

#[test]
fn datasets() {
    let mut data = pairs();
    assert_eq!(data.len(), 8);
    fails(
        data.extend([Example::pair("a", "b"), Example::text("alone")]),
        ErrorKind::Argument,
        "single text",
    );
    assert_eq!(data.len(), 9, "the examples before the one that failed stay");
    fails(data.add(Vec::<String>::new()), ErrorKind::Argument, "columns is 0");
    data.add(Example::pair("a", "b").with_negatives(["c", ""]).scored(1.0)).unwrap();
    data.add((String::from("owned"), "borrowed")).unwrap();
    let model = load();
    let trainer = begin(&model, &data, "{}");
    fails(data.add(("a", "b")), ErrorKind::State, "trainer");
    drop(trainer);
    data.add(("a", "b")).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pairs.tsv");
    std::fs::write(&file, "one\ttwo\nthree\tfour\nfive\n").unwrap();
    fails(Dataset::open(&file), ErrorKind::Format, "pairs.tsv:3");
    let mut opened = Dataset::open_with(&file, &config(r#"{"data.on_error": "skip"}"#)).unwrap();
    assert_eq!(opened.len(), 2);
    fails(opened.add(("a", "b")), ErrorKind::State, "file");
}

/// Gives one byte at a time, and then an error.
struct Slow<'a>(&'a [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0.is_empty() && self.1 {
            return Err(std::io::Error::other("the line was cut"));
        }
        let n = self.0.len().min(1).min(buffer.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn readers_are_datasets() {
    let tsv = config(r#"{"data.format": "tsv"}"#);
    let data = Dataset::read(
        Slow(b"the cat\ta cat\na dog\tthe dog\ntwo birds\tbirds\nred\tblue\n", false),
        &tsv,
    )
    .unwrap();
    assert_eq!(data.len(), 4);
    let own = format!("contrastive-{}-", std::process::id());
    let left = std::fs::read_dir(std::env::temp_dir())
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(
        left.filter(|name| name.starts_with(&own)).count(),
        0,
        "the file has no name, and still trains"
    );
    let mut trainer = begin(&load(), &data, "{}");
    drop(data);
    assert_eq!(trainer.run().filter(|progress| progress.is_ok()).count(), 6);
    let error = Dataset::read(Slow(b"a\tb\n", true), &tsv).unwrap_err();
    assert!(error.kind() == ErrorKind::Io && error.message().contains("the line was cut"));
    assert!(std::error::Error::source(&error).is_some());
    fails(Dataset::read(std::io::empty(), None), ErrorKind::Format, "no examples");
    let strings = (0..10).map(|i| (format!("question {i}"), format!("answer {i}")));
    assert_eq!(Dataset::from_examples(strings).unwrap().len(), 10);
}

#[test]
fn a_run_steps_to_its_end() {
    let model = load();
    let mut trainer = begin(&model, &pairs(), "{}");
    assert_eq!(
        (trainer.metric("loss"), trainer.metric("no such metric"), trainer.metric("\0")),
        (None, None, None)
    );
    let mut run = trainer.run();
    let mut steps = 0;
    while let Some(progress) = run.next() {
        let progress = progress.unwrap();
        steps += 1;
        assert_eq!((progress.step, progress.total), (steps, Some(6)));
        assert_eq!(run.trainer().metric("loss"), Some(progress.loss));
        assert!(progress.loss > 0.0);
    }
    assert!(run.next().is_none());
    assert_eq!(steps, 6);
    assert_eq!(trainer.step().unwrap(), Step::Over);
    assert_eq!(trainer.metrics().unwrap()["total_steps"], 6.0);
    let config = trainer.config().unwrap();
    assert!(config["batch_size"] == 4 && config.get("clsr.temperature").is_some(), "{config}");
    fails(trainer.evaluate(), ErrorKind::State, "dev");
}

#[test]
fn ranks_on_threads_train_like_one() {
    let (model, data) = (load(), pairs());
    let run = |dist: &str| {
        let keys = format!(
            r#"{{"method": "mnrl", "optimizer": "sgd", "lr": 0.1, "batch_size": 8,
                "max_steps": 2{dist}}}"#
        );
        let mut trainer = Trainer::new(&model, &data, &config(&keys)).unwrap();
        while trainer.step().unwrap() == Step::Made {}
        (trainer.metric("loss").unwrap(), trainer.metric("ranks"))
    };
    let (one, two) = (run(""), run(r#", "dist": {"mode": "threads", "devices": ["cpu", "cpu"]}"#));
    assert_eq!(two.1, Some(2.0));
    assert!((one.0 - two.0).abs() < 1e-5, "{one:?} {two:?}");
}

#[test]
fn configs_of_runs_are_checked() {
    let (model, data) = (load(), pairs());
    for (keys, part) in [
        (r#"{"method": "clsr", "bach_size": 4}"#, "batch_size"),
        (r#"{"method": "clrs"}"#, "clsr"),
        (r#"{"method": "clsr", "lr": -1}"#, "lr"),
        ("{}", "method"),
    ] {
        fails(Trainer::new(&model, &data, &config(keys)), ErrorKind::Argument, part);
        fails(Trainer::check(&config(keys)), ErrorKind::Argument, part);
    }
    Trainer::check(&config(r#"{"method": "clsr"}"#)).unwrap();
    let (deep, folder) = (config(r#"{"method": "sgopt", "sgopt.lmax": 9}"#), fixture("bert_st"));
    Trainer::check(&deep).unwrap();
    Trainer::check_for(&config(r#"{"method": "sgopt", "sgopt.lmax": 2}"#), &folder).unwrap();
    fails(Trainer::check_for(&deep, &folder), ErrorKind::Argument, "sgopt.lmax");
    let long = config(r#"{"method": "simcse", "epochs": 1, "warmup_steps": 1000}"#);
    Trainer::check_for(&long, &folder).unwrap();
    fails(Trainer::check_on(&long, &data, None), ErrorKind::Argument, "'warmup_steps'");
    Trainer::check_on(
        &config(r#"{"method": "simcse", "epochs": 1, "warmup_steps": 1}"#),
        &data,
        Path::new(&folder),
    )
    .unwrap();
}

#[test]
fn batches() {
    let model = load();
    let mut trainer = begin(&model, None, "{}");
    let examples: Vec<Example> = PAIRS[..4].iter().map(|pair| (*pair).into()).collect();
    for i in 1..=6 {
        assert_eq!(trainer.batch(&examples).unwrap(), Step::Made);
        assert_eq!(trainer.metric("step"), Some(f64::from(i)));
    }
    fails(trainer.step(), ErrorKind::State, "");
    fails(
        trainer.batch(&[Example::pair("a", "b"), Example::text("alone")]),
        ErrorKind::Argument,
        "same number",
    );
    fails(trainer.batch(&[]), ErrorKind::Argument, "");
    let mut scored = begin(&model, None, "{}");
    let examples =
        [Example::pair("a cat", "the cat").scored(5.0), Example::pair("\u{1f600}\0", "\u{fffd}")];
    assert_eq!(scored.batch(&examples).unwrap(), Step::Made);
    let mut ranked =
        Trainer::new(&model, None, &config(r#"{"method": "mnrl", "max_steps": 1}"#)).unwrap();
    let triplets = [
        Example::pair("a", "b").with_negatives(["c"]),
        Example::pair("d", "e").with_negatives([""]),
    ];
    assert_eq!(ranked.batch(&triplets).unwrap(), Step::Made);
}

#[test]
fn the_trained_model_is_a_model() {
    let (model, data) = (load(), pairs());
    let before = model.encode_text("the cat sat").unwrap();
    let mut trainer = begin(&model, &data, r#"{"clsr.dimension": 8}"#);
    assert!(trainer.run().all(|progress| progress.is_ok()));
    let (trained, best) = (trainer.model().unwrap(), trainer.best_model().unwrap());
    drop(trainer);
    let after = trained.encode_text("the cat sat").unwrap();
    assert_eq!(after.len(), 8);
    assert_eq!(
        after,
        best.encode_text("the cat sat").unwrap(),
        "without a dev set the best model is the current one"
    );
    assert_eq!(
        before,
        model.encode_text("the cat sat").unwrap(),
        "training changed the model that it started from"
    );
}

#[test]
fn a_resumed_run_is_the_same() {
    let (model, data) = (load(), pairs());
    let (mut whole, mut half) = (begin(&model, &data, "{}"), begin(&model, &data, "{}"));
    assert!(whole.run().all(|progress| progress.is_ok()));
    assert_eq!(half.run().take(3).count(), 3);
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("run");
    half.save(&saved).unwrap();
    drop(half);
    let mut resumed = Trainer::resume(&saved, &model, &data, None).unwrap();
    assert_eq!(resumed.metric("step"), Some(3.0));
    assert_eq!(resumed.run().count(), 3);
    assert_eq!(resumed.metric("loss"), whole.metric("loss"));
    let weights = |trainer: &Trainer, name: &str| {
        trainer.save_best(folder.path().join(name)).unwrap();
        std::fs::read(folder.path().join(name).join("model.safetensors")).unwrap()
    };
    assert_eq!(weights(&whole, "whole"), weights(&resumed, "resumed"));
    fails(
        Trainer::resume(&saved, &model, &data, &config(r#"{"lr": 1}"#)),
        ErrorKind::Mismatch,
        "lr",
    );
    fails(Trainer::resume(fixture("bert_st"), &model, &data, None), ErrorKind::NotFound, "");
}

#[test]
fn figures_of_tasks_arrive_among_the_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sts.tsv");
    std::fs::write(
        &file,
        "5\tthe cat sat\tthe cat sat\n3\ta dog runs\tthe dog ran\n0\tred\ttwo birds\n",
    )
    .unwrap();
    let watched = serde_json::json!({"evaluate.sts.data": file, "evaluate_every": 2}).to_string();
    let mut trainer = begin(&load(), &pairs(), &watched);
    let _ = trainer.step().unwrap();
    assert_eq!(trainer.metric("sts.spearman.all"), None, "measured too early");
    assert!(trainer.run().all(|progress| progress.is_ok()));
    let mut config = Config::new().unwrap();
    config.set("data", &file).unwrap();
    let expected =
        trainer.model().unwrap().evaluate("sts", &config).unwrap().number(&["spearman", "all"]);
    assert!(expected.is_some());
    assert_eq!(trainer.metric("sts.spearman.all"), expected);
    assert_eq!(trainer.metrics().unwrap().get("sts.spearman.all").copied(), expected);
}

#[test]
fn dev_sets_and_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dev.tsv");
    std::fs::write(
        &file,
        "5\tthe cat sat\tthe cat sat\n3\ta dog runs\tthe dog ran\n0\tred\ttwo birds\n",
    )
    .unwrap();
    let model = load();
    let mut keys = config("{}");
    keys.set("data", &file).unwrap();
    let report = model.evaluate("sts", &keys).unwrap();
    assert!((-1.0..=1.0).contains(&report.number(&["spearman", "all"]).unwrap()));
    assert_eq!(report.number(&["spearman", "none", "there"]), None);
    let mut trainer = begin(&model, &pairs(), &serde_json::json!({"dev": file}).to_string());
    let cancel = Cancel::new().unwrap();
    cancel.trigger();
    fails(trainer.evaluate_with(&cancel), ErrorKind::Cancelled, "");
    assert!(trainer.metric("dev").is_none());
    trainer.evaluate().unwrap();
    assert!(trainer.metric("dev").is_some());
    fails(model.evaluate("sst", &keys), ErrorKind::Argument, "sts");
    keys.set("data", folder.path().join("dev.tsvx")).unwrap();
    fails(model.evaluate("sts", &keys), ErrorKind::NotFound, "dev.tsvx");
}

#[test]
fn a_raised_flag_stops_every_long_call() {
    let (model, data) = (load(), pairs());
    let mut trainer = begin(&model, &data, "{}");
    let cancel = Cancel::new().unwrap();
    cancel.trigger();
    let options = contrastive::EncodeOptions { cancel: Some(&cancel), ..Default::default() };
    fails(model.encode_with(&["a"], options), ErrorKind::Cancelled, "");
    fails(trainer.step_with(&cancel), ErrorKind::Cancelled, "");
    fails(
        trainer.batch_with(&[Example::pair("a", "b"), Example::pair("c", "d")], &cancel),
        ErrorKind::Cancelled,
        "",
    );
    let vectors = contrastive::Vectors::from_rows(&[[1.0, 0.0]]).unwrap();
    fails(
        contrastive::search_with(&vectors, &vectors, 1, contrastive::Metric::Cosine, &cancel),
        ErrorKind::Cancelled,
        "",
    );
    let results: Vec<_> = trainer.run_with(&cancel).collect();
    assert!(
        results.len() == 1
            && results[0].as_ref().is_err_and(|error| error.kind() == ErrorKind::Cancelled)
    );
    assert_eq!(trainer.metric("step"), Some(0.0));
    assert_eq!(trainer.run().count(), 6, "the run continues");
}

#[test]
fn a_flag_stops_a_call_that_runs() {
    let model = load();
    let texts = vec!["the cat sat ".repeat(8); 200_000];
    let cancel = Cancel::new().unwrap();
    let started = std::time::Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(30));
            cancel.trigger();
        });
        let options = contrastive::EncodeOptions { cancel: Some(&cancel), ..Default::default() };
        fails(model.encode_with(&texts, options), ErrorKind::Cancelled, "");
    });
    assert!(
        started.elapsed().as_secs_f64() < 5.0,
        "the call stopped after {:?}",
        started.elapsed()
    );
}
