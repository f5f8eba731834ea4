//! Tests of the features serde, log and tracing.
#![cfg(all(feature = "serde", feature = "log", feature = "tracing"))]
mod common;

use std::sync::{Arc, Mutex};

use common::{config, load};
use contrastive::{
    clear_log_sink, forward_to_log, forward_to_tracing, Config, Dataset, Hit, Limit, LogLevel,
    Metric, Tokens, Vectors,
};

#[test]
fn results_and_configs_are_serialized() {
    let vectors = Vectors::from_rows(&[[1.0, 0.25]]).unwrap();
    let json = serde_json::to_string(&vectors).unwrap();
    assert_eq!(json, r#"{"values":[1.0,0.25],"dimension":2}"#);
    assert_eq!(serde_json::from_str::<Vectors>(&json).unwrap(), vectors);
    let wrong = serde_json::from_str::<Vectors>(r#"{"values":[1.0],"dimension":2}"#).unwrap_err();
    assert!(wrong.to_string().contains("whole rows"), "{wrong}");
    let hits = vec![Hit { index: 3, score: 0.5 }];
    let json = serde_json::to_string(&hits).unwrap();
    assert_eq!(json, r#"[{"index":3,"score":0.5}]"#);
    assert_eq!(serde_json::from_str::<Vec<Hit>>(&json).unwrap(), hits);
    assert_eq!(serde_json::to_string(&Metric::Euclidean).unwrap(), r#""euclidean""#);

    let keys = config(r#"{"method": "mnrl", "mnrl": {"scale": 20}}"#);
    let json = serde_json::to_string(&keys).unwrap();
    let again: Config = serde_json::from_str(&json).unwrap();
    assert_eq!(again.to_json().unwrap(), keys.to_json().unwrap());
    assert!(serde_json::from_str::<Config>("[1]").is_err());

    let model = load();
    let tokens = model.tokenize("the cat sat", Limit::Model).unwrap();
    let json = serde_json::to_string(&tokens).unwrap();
    assert_eq!(serde_json::from_str::<Tokens>(&json).unwrap(), tokens);
    let info = serde_json::to_value(model.info().unwrap()).unwrap();
    assert_eq!(info["family"], "bert");
}

/// Makes the library log that lines are empty.
fn warn() {
    Dataset::read(&b"a\tb\n\t\nc\td\n"[..], &config(r#"{"data.format": "tsv"}"#)).unwrap();
}

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Logger;

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }
    fn log(&self, record: &log::Record<'_>) {
        LINES.lock().unwrap().push(format!(
            "{} {} {}",
            record.target(),
            record.level(),
            record.args()
        ));
    }
    fn flush(&self) {}
}

/// Keeps the messages of events.
struct Subscriber(Arc<Mutex<Vec<String>>>);

struct Message(String);

impl tracing::field::Visit for Message {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl tracing::Subscriber for Subscriber {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let (target, level) = (event.metadata().target(), event.metadata().level());
        self.0.lock().unwrap().push(format!("{target} {level} {}", message.0));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// One test, because the process has one sink.
#[test]
fn messages_go_to_log_and_to_tracing() {
    let fits = |line: &String| line.starts_with("contrastive WARN ") && line.contains("empty");
    log::set_logger(&Logger).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    forward_to_log(LogLevel::Debug).unwrap();
    warn();
    assert!(LINES.lock().unwrap().iter().any(fits), "{:?}", LINES.lock().unwrap());

    let events = Arc::new(Mutex::new(Vec::new()));
    tracing::subscriber::set_global_default(Subscriber(events.clone())).unwrap();
    forward_to_tracing(LogLevel::Debug).unwrap();
    let before = LINES.lock().unwrap().len();
    warn();
    assert!(events.lock().unwrap().iter().any(fits), "{:?}", events.lock().unwrap());
    assert_eq!(LINES.lock().unwrap().len(), before, "the first sink was not replaced");
    clear_log_sink().unwrap();
}
