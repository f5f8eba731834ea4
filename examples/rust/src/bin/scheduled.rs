//! Embeds texts over HTTP, collects pairs, and adapts its model to them on a timer. A model that is better takes over without a dropped request; the one before
//! is kept, and comes back on demand, or where the canary's queries find their documents less often.
//!
//!     cargo run --release --bin scheduled -- MODELS START HOURS [CANARY.tsv]
//!     curl -d '{"texts": ["a first text"]}' localhost:8080/embed
//!     curl --data-binary @clicks.tsv localhost:8080/pairs
//!     curl -X POST localhost:8080/rollback
use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use contrastive::{Cancel, Config, Dataset, Model};
use serde_json::{json, Value};
use tiny_http::{Method, Response, Server};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;
/// Says how good a model is at what no new model may become worse at.
type Canary = Box<dyn Fn(&Model) -> contrastive::Result<f64> + Send + Sync>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [models, start, hours, canary @ ..] = arguments.as_slice() else { return Err("usage: scheduled MODELS START HOURS [CANARY.tsv]".into()) };
    let canary: Canary = match canary.first().cloned() {
        Some(file) => Box::new(move |model| found(model, &file)),
        None => Box::new(|_| Ok(0.0)),
    };
    let rotation = Arc::new(Rotation::open(models.into(), start.as_ref(), canary, 1000, r#"{"min_gain": 0.01}"#)?);
    let server = Arc::new(Server::http("localhost:8080")?);
    let (stop, stopped) = std::sync::mpsc::channel();
    let (serving, ending) = (Arc::clone(&server), Arc::clone(&rotation));
    ctrlc::set_handler(move || {
        ending.stop.trigger();
        serving.unblock();
        stop.send(()).unwrap_or(());
    })?;
    let (timed, every) = (Arc::clone(&rotation), Duration::from_secs_f64(3600.0 * hours.parse::<f64>()?));
    let timer = std::thread::spawn(move || timed.run(every, &stopped));
    rotation.serve_requests(&server);
    timer.join().map_err(|_| "the timer's thread has failed")?;
    Ok(())
}

/// How often the queries of a file find their documents.
fn found(model: &Model, pairs: &str) -> contrastive::Result<f64> {
    let config = Config::from_json(&json!({"data": pairs}).to_string())?;
    Ok(model.evaluate("retrieval", &config)?.number(&["recall@1"]).unwrap_or(0.0))
}

/// A model, its number, and that of the one before.
struct Version {
    model: Model,
    number: u64,
    previous: Option<u64>,
}

/// Serves a model, collects pairs, and replaces the model by one that was adapted to them where that is better. Its folder holds the models, "model-0",
/// "model-1", ..., the file "served" with the number of the one that is served and of the one before, and the pairs that no model has learned from yet.
struct Rotation {
    folder: PathBuf,
    canary: Canary,
    least: usize,
    keys: String, // of the adaptation, as JSON: a Config is one thread's
    stop: Cancel,
    current: RwLock<Arc<Version>>,
    turn: Mutex<()>,  // held by whoever changes the model
    pairs: Mutex<()>, // held by whoever writes pairs
}

fn lock(mutex: &Mutex<()>) -> MutexGuard<'_, ()> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Rotation {
    /// Goes on with the folder, or begins one with the model `start`. `least`: pairs that an adaptation begins with.
    fn open(folder: PathBuf, start: &Path, canary: Canary, least: usize, keys: &str) -> Result<Self> {
        let served = folder.join("served");
        let (number, previous) = if served.exists() {
            let numbers: Value = serde_json::from_str(&fs::read_to_string(served)?)?;
            (numbers["model"].as_u64().ok_or("the file 'served' names no model")?, numbers["previous"].as_u64())
        } else {
            Model::load(start)?.save(folder.join("model-0"))?;
            (0, None)
        };
        let first = Version { model: Model::load(folder.join(format!("model-{number}")))?, number, previous };
        let rotation = Self {
            folder,
            canary,
            least,
            keys: keys.to_owned(),
            stop: Cancel::new()?,
            current: RwLock::new(Arc::new(first)),
            turn: Mutex::default(),
            pairs: Mutex::default(),
        };
        rotation.write_served(number, previous)?;
        Ok(rotation)
    }

    fn model(&self, number: u64) -> PathBuf {
        self.folder.join(format!("model-{number}"))
    }

    fn current(&self) -> Arc<Version> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// In one step: a crash leaves the old numbers or the new ones.
    fn write_served(&self, number: u64, previous: Option<u64>) -> Result<()> {
        fs::write(self.folder.join("served.new"), json!({"model": number, "previous": previous}).to_string())?;
        Ok(fs::rename(self.folder.join("served.new"), self.folder.join("served"))?)
    }

    /// Changes to a model. Requests that use the old one hold it until they are answered.
    fn serve(&self, number: u64, previous: Option<u64>) -> Result<()> {
        let next = Version { model: Model::load(self.model(number))?, number, previous };
        self.write_served(number, previous)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(())
    }

    /// Keeps pairs, "query TAB document" a line, until the next adaptation.
    fn collect(&self, lines: &str) -> Result<()> {
        if let Some(line) = lines.lines().find(|line| line.matches('\t').count() != 1) {
            return Err(format!("a query, a tab and a document are needed, not: {line}").into());
        }
        let _held = lock(&self.pairs);
        let mut file = fs::OpenOptions::new().append(true).create(true).open(self.folder.join("pairs.tsv"))?;
        file.write_all(format!("{}\n", lines.trim_end_matches('\n')).as_bytes())?;
        Ok(file.sync_all()?)
    }

    /// What the timer calls. Where enough pairs were collected, adapts the model to them and, where the result is better, serves it; the canary has the last
    /// word. Says what was done. Stopped at any time, the next call goes on.
    fn adapt(&self) -> Result<String> {
        let _held = lock(&self.turn);
        let now = self.current();
        let (round, pairs) = (self.folder.join("round.tsv"), self.folder.join("pairs.tsv"));
        // A number is used once: what was rolled back keeps its folder.
        let next = (now.number + 1..).find(|number| !self.model(*number).exists()).ok_or("no number is left")?;
        if !round.exists() {
            // Else a round was broken off: it goes on with its own pairs.
            let _held = lock(&self.pairs);
            let count = fs::read_to_string(&pairs).map_or(0, |text| text.lines().count());
            if count < self.least {
                return Ok(format!("{count} pairs of {} were collected", self.least));
            }
            fs::rename(&pairs, &round)?;
        }
        let report = now.model.adapt_with(&Dataset::open(&round)?, None, self.model(next), &Config::from_json(&self.keys)?, &self.stop)?;
        fs::rename(&round, self.folder.join(format!("model-{next}.tsv")))?;
        let reason = report.text(&["reason"]).unwrap_or_default();
        if !report.flag(&["shipped"]) {
            return Ok(format!("kept the model: {reason}"));
        }
        let before = (self.canary)(&now.model)?;
        self.serve(next, Some(now.number))?;
        let after = (self.canary)(&self.current().model);
        if !matches!(after, Ok(score) if score >= before) {
            self.back()?;
            return Ok(format!("rolled back: the canary fell from {before} to {}", after?));
        }
        Ok(format!("serves a better model: {reason}"))
    }

    /// Serves the model before this one again.
    fn rollback(&self) -> Result<u64> {
        let _held = lock(&self.turn);
        self.back()
    }

    fn back(&self) -> Result<u64> {
        let previous = self.current().previous.ok_or("there is no model before this one")?;
        self.serve(previous, None)?;
        Ok(previous)
    }

    /// Adapts on the timer until a message comes. A round that fails changes nothing, and the next one tries again.
    fn run(&self, every: Duration, stopped: &Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(every) {
            match self.adapt() {
                Ok(done) => println!("{done}"),
                Err(error) => eprintln!("adapting failed: {error}"),
            }
        }
    }

    fn serve_requests(&self, server: &Server) {
        for mut request in server.incoming_requests() {
            let (method, path, mut body) = (request.method().clone(), request.url().to_string(), String::new());
            let (status, answer) = match request.as_reader().take(64 << 20).read_to_string(&mut body) {
                Ok(_) => self.answer(&method, &path, &body),
                Err(error) => (400, json!({"error": error.to_string()})),
            };
            let _ = request.respond(Response::from_string(answer.to_string()).with_status_code(status));
            // who is gone needs no answer
        }
    }

    fn answer(&self, method: &Method, path: &str, body: &str) -> (u16, Value) {
        let refused = |error: &dyn std::fmt::Display| (400, json!({"error": error.to_string()}));
        match (method, path) {
            (Method::Post, "/embed") => {
                let texts: Value = serde_json::from_str(body).unwrap_or_default();
                let texts: Option<Vec<&str>> = texts["texts"].as_array().and_then(|texts| texts.iter().map(Value::as_str).collect());
                let (Some(texts), version) = (texts, self.current()) else { return refused(&"\"texts\" must be a list of texts") };
                match version.model.encode(&texts) {
                    Ok(vectors) => (200, json!({"model": version.number, "vectors": vectors.rows().collect::<Vec<_>>()})),
                    Err(error) => (500, json!({"error": error.to_string()})),
                }
            }
            (Method::Post, "/pairs") => self.collect(body).map_or_else(|error| refused(&error), |()| (202, json!({}))),
            (Method::Post, "/rollback") => {
                self.rollback().map_or_else(|error| (409, json!({"error": error.to_string()})), |model| (200, json!({"model": model})))
            }
            _ => (404, json!({"error": "POST /embed, POST /pairs, POST /rollback"})),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Instant;

    use super::*;

    /// Pairs whose second texts have three of the first ones' four words.
    fn similar() -> String {
        let words: Vec<&str> = "the cat dog bird house mat two old new fly run open cafe water tree green red blue small man".split(' ').collect();
        let mut draw = 1u64;
        let mut next = || {
            draw = draw * 48271 % 2147483647;
            words[(draw % 20) as usize]
        };
        let pair = |_| {
            let w = [next(), next(), next(), next(), next()];
            format!("{}\t{}\n", w[..4].join(" "), [w[2], w[0], w[3], w[4]].join(" "))
        };
        (0..160).map(pair).collect()
    }

    fn quick(min_gain: f64) -> String {
        json!({"lr": 0.002, "max_steps": 40, "test_share": 0.3, "near_duplicate": 1, "mining.relative_margin": -1e9, "resamples": 100,
            "min_gain": min_gain})
        .to_string()
    }

    /// A model with fresh weights.
    fn start(folder: &Path) -> PathBuf {
        let tokenizer = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/models/bert_st");
        let recipe = json!({"tokenizer": tokenizer, "layers": 1, "hidden_size": 32, "attention_heads": 2, "max_length": 32, "pooling": "mean"});
        Model::create(&Config::from_json(&recipe.to_string()).unwrap()).unwrap().save(folder.join("start")).unwrap();
        folder.join("start")
    }

    fn embedded_by(rotation: &Rotation) -> u64 {
        rotation.answer(&Method::Post, "/embed", r#"{"texts": ["the cat"]}"#).1["model"].as_u64().unwrap()
    }

    #[test]
    fn a_better_model_takes_over_and_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let models = folder.path().join("models");
        let rotation = Arc::new(Rotation::open(models.clone(), &start(folder.path()), Box::new(|_| Ok(0.0)), 160, &quick(0.0)).unwrap());
        assert_eq!(rotation.adapt().unwrap(), "0 pairs of 160 were collected");
        assert_eq!(rotation.answer(&Method::Post, "/pairs", &similar()).0, 202);
        let (stop, stopped) = std::sync::mpsc::channel();
        let timed = Arc::clone(&rotation);
        let timer = std::thread::spawn(move || timed.run(Duration::from_millis(20), &stopped));
        let started = Instant::now();
        while embedded_by(&rotation) != 1 {
            assert!(started.elapsed() < Duration::from_secs(60), "no model took over within a minute");
            std::thread::sleep(Duration::from_millis(5));
        }
        stop.send(()).unwrap();
        timer.join().unwrap();
        assert_eq!(rotation.answer(&Method::Post, "/rollback", ""), (200, json!({"model": 0})));
        assert_eq!(embedded_by(&rotation), 0);
        assert_eq!(rotation.answer(&Method::Post, "/rollback", "").0, 409);
        assert_eq!(rotation.answer(&Method::Post, "/pairs", "no pair").0, 400);
        drop(rotation);
        let again = Rotation::open(models, Path::new(""), Box::new(|_| Ok(0.0)), 160, &quick(0.0)).unwrap(); // as a restart does
        assert_eq!(again.current().number, 0);
    }

    #[test]
    fn a_model_that_is_not_better_or_fails_the_canary_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let first = start(folder.path());
        let strict = Rotation::open(folder.path().join("strict"), &first, Box::new(|_| Ok(0.0)), 160, &quick(1.0)).unwrap();
        strict.collect(&similar()).unwrap();
        assert!(strict.adapt().unwrap().starts_with("kept the model: ndcg@10 went from"));
        let asked = AtomicU32::new(0);
        let falling: Canary = Box::new(move |_| Ok(1.0 / f64::from(asked.fetch_add(1, Ordering::Relaxed) + 1)));
        let watched = Rotation::open(folder.path().join("watched"), &first, falling, 160, &quick(0.0)).unwrap();
        watched.collect(&similar()).unwrap();
        assert_eq!(watched.adapt().unwrap(), "rolled back: the canary fell from 1 to 0.5");
        assert_eq!(watched.current().number, 0);
        let pairs = folder.path().join("canary.tsv");
        fs::write(&pairs, "the cat\tthe cat\na dog\ta dog\n").unwrap();
        assert_eq!(found(&watched.current().model, pairs.to_str().unwrap()).unwrap(), 1.0);
    }
}
