//! Tests when objects are freed, and that none is left. One test at a time, because they count the
//! handles of the process.
mod common;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use common::{begin, config, load, pairs};
use contrastive::{live_handles, Cancel, Config, Dataset, EncodeOptions, Limit, Model, Trainer};

/// Keeps other tests from running, and checks at its end that no handle is left.
struct Alone(#[allow(dead_code)] MutexGuard<'static, ()>);

impl Alone {
    fn new() -> Self {
        static ONE: Mutex<()> = Mutex::new(());
        Self(ONE.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(live_handles(), 0, "handles are left");
        }
    }
}

/// Compile-time checks of which types are Send and which are Sync.
#[test]
fn threads_are_as_the_header_says() {
    fn sync<T: Send + Sync>() {}
    fn send<T: Send>() {}
    sync::<Model>();
    sync::<Cancel>();
    sync::<contrastive::Error>();
    send::<Trainer>();
    send::<Dataset>();
    send::<Config>();
}

#[test]
fn a_trainer_outlives_model_and_data() {
    let _alone = Alone::new();
    let (model, data) = (load(), pairs());
    let mut trainer = begin(&model, &data, "{}");
    drop((model, data));
    assert_eq!(trainer.run().count(), 6);
    let trained = trainer.model().unwrap();
    drop(trainer);
    trained.encode_text("a cat").unwrap();
}

/// Threads share models by Arc, and the last one frees the model; trainers move between threads.
#[test]
fn the_last_user_frees() {
    let _alone = Alone::new();
    for _ in 0..100 {
        let model = Arc::new(load());
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let model = Arc::clone(&model);
                std::thread::spawn(move || model.encode_text("the cat sat").unwrap())
            })
            .collect();
        drop(model);
        threads.into_iter().for_each(|thread| drop(thread.join().unwrap()));
    }
    let mut trainer = begin(&load(), &pairs(), "{}");
    let mut trainer =
        std::thread::spawn(move || trainer.step().map(|_| trainer).unwrap()).join().unwrap();
    assert_eq!(trainer.run().count(), 5);
}

/// A clone owns the same model, and a loop that loads and drops models needs memory for one.
#[test]
fn models_share_and_free_their_memory() {
    let _alone = Alone::new();
    let model = load();
    let clone = model.clone();
    assert_eq!(live_handles(), 1);
    assert!(model.memory() > 10_000 && model.memory() == clone.memory(), "{}", model.memory());
    drop(model);
    clone.encode_text("a cat").unwrap();
    drop(clone);
    let grown = || {
        let before = resident_kilobytes();
        for _ in 0..60 {
            load().encode_text("a cat").unwrap();
            assert_eq!(live_handles(), 0);
        }
        resident_kilobytes() - before
    };
    assert!((0..3).any(|_| grown() <= 4096), "60 models after each other keep more than 4 MB");
}

/// An object passed to mem::forget is only a leak: everything else continues, and objects that use
/// it stay usable.
#[test]
fn forgotten_handles_harm_nobody() {
    let alone = Alone::new();
    let model = load();
    let before = live_handles();
    let mut forgotten = Vec::new();
    for i in 0..1000 {
        let mut config = Config::new().unwrap();
        config.set("seed", i).unwrap();
        forgotten.push(std::mem::ManuallyDrop::new(config));
    }
    assert_eq!(live_handles(), before + 1000);
    model.encode_text("the cat sat").unwrap();
    for config in forgotten {
        drop(std::mem::ManuallyDrop::into_inner(config));
    }
    assert_eq!(live_handles(), before);
    drop(model);
    drop(alone);
}

#[test]
fn a_panic_frees_everything() {
    let _alone = Alone::new();
    let result = std::panic::catch_unwind(|| {
        let (model, data) = (load(), pairs());
        let mut trainer = begin(&model, &data, "{}");
        for progress in trainer.run() {
            assert!(progress.unwrap().step < 3, "on purpose");
        }
    });
    assert!(result.is_err());
}

#[test]
fn failed_calls_leave_nothing() {
    let _alone = Alone::new();
    let model = load();
    let wrong = config(r#"{"metod": "clsr"}"#);
    let before = live_handles();
    for _ in 0..1000 {
        Model::load("nowhere").unwrap_err();
        Trainer::new(&model, None, &wrong).unwrap_err();
        model
            .encode_with(&["a"], EncodeOptions { pooling: Some("nonsense"), ..Default::default() })
            .unwrap_err();
    }
    assert_eq!(live_handles(), before);
}

fn resident_kilobytes() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// The same mix of calls as in the other languages: most embed into existing memory; every tenth
/// also allocates a result, makes a call that is refused, and tokenizes. A leak grows in every
/// round; stacks and arenas of threads that start late grow once.
#[test]
fn memory_is_flat() {
    let _alone = Alone::new();
    let model = load();
    let texts = ["the cat sat", "\u{1f600}"];
    let mut out = vec![0.0; 2 * model.dimension()];
    let mut cycle = |calls: usize| {
        for i in 0..calls {
            model.encode_into(&texts, &mut out).unwrap();
            if i % 10 == 0 {
                model.encode(&texts).unwrap();
                model
                    .encode_with(&texts, EncodeOptions { truncate_dim: -1, ..Default::default() })
                    .unwrap_err();
                model.tokenize("the cat sat", Limit::Model).unwrap();
            }
        }
    };
    cycle(20_000);
    let flat = (0..4).any(|_| {
        let before = resident_kilobytes();
        cycle(100_000);
        let grown = resident_kilobytes() - before;
        println!("resident memory after 100,000 calls: {grown:+} KB");
        grown <= 4096
    });
    assert!(flat, "resident memory grew by more than 4,096 KB in every round");
}
