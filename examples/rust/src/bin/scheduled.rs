//! Embeds texts over HTTP, collects pairs, and adapts its model to them on a timer. A better model
//! replaces the current one without a dropped request, unless the canary's queries find their
//! documents less often with it. The previous model is kept for a rollback.
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

use contrastive::{Cancel, Config, Dataset, ErrorKind, Model, Report};
use serde_json::{json, Value};
use tiny_http::{Method, Request, Response, Server};

const WORKERS: usize = 8;
const LARGEST_REQUEST: u64 = 64 << 20;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;
/// Returns a model's canary score. A new model with a lower score is not served.
type Canary = Box<dyn Fn(&Model) -> contrastive::Result<f64> + Send + Sync>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [models, start, hours, canary @ ..] = arguments.as_slice() else {
        return Err("usage: scheduled MODELS START HOURS [CANARY.tsv]".into());
    };
    let canary: Canary = match canary.first().cloned() {
        Some(file) => Box::new(move |model| found(model, &file)),
        None => Box::new(|_| Ok(0.0)),
    };
    let rotation = Arc::new(Rotation::open(
        models.into(),
        start.as_ref(),
        canary,
        1000,
        r#"{"min_gain": 0.01}"#,
    )?);
    let server = Arc::new(Server::http("localhost:8080")?);
    let (stop, stopped) = std::sync::mpsc::channel();
    let (serving, ending) = (Arc::clone(&server), Arc::clone(&rotation));
    ctrlc::set_handler(move || {
        ending.stop.trigger();
        (0..WORKERS).for_each(|_| serving.unblock());
        stop.send(()).unwrap_or(());
    })?;
    let (timed, every) =
        (Arc::clone(&rotation), Duration::from_secs_f64(3600.0 * hours.parse::<f64>()?));
    let timer = std::thread::spawn(move || timed.run(every, &stopped));
    rotation.serve_requests(&server);
    timer.join().map_err(|_| "the timer's thread has failed")?;
    Ok(())
}

/// Measures how often the queries of a file find their documents.
fn found(model: &Model, pairs: &str) -> contrastive::Result<f64> {
    let config = Config::from_json(&json!({"data": pairs}).to_string())?;
    Ok(model.evaluate("retrieval", &config)?.number(&["recall@1"]).unwrap_or(0.0))
}

/// A model, its number, and the number of the previous model.
struct Version {
    model: Model,
    number: u64,
    previous: Option<u64>,
}

/// Serves a model, collects pairs, adapts the model to them, and serves the new model if it is
/// better. Its folder contains the models "model-0", "model-1", ..., the file "served" with the
/// numbers of the current and the previous model, and the pairs: new ones in "pairs.tsv", those of
/// the running round in "round.tsv", those that model N was trained on in "model-N.tsv", and those
/// of failed rounds in "failed-N.tsv".
struct Rotation {
    folder: PathBuf,
    canary: Canary,
    least: usize,
    keys: String, // of the adaptation, as JSON, because a Config is not Sync
    stop: Cancel,
    current: RwLock<Arc<Version>>,
    turn: Mutex<()>, // held while the model is changed, not while the next one is trained
    pairs: Mutex<()>, // held while pairs are written
}

fn lock(mutex: &Mutex<()>) -> MutexGuard<'_, ()> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The body of a request, or why it is refused.
fn read(reader: &mut dyn Read) -> std::result::Result<String, (u16, Value)> {
    let (mut body, refused) = (Vec::new(), |status, why: &dyn std::fmt::Display| {
        Err((status, json!({"error": why.to_string()})))
    });
    match reader.take(LARGEST_REQUEST + 1).read_to_end(&mut body) {
        Ok(length) if length as u64 > LARGEST_REQUEST => {
            refused(413, &"a request has at most 64 MiB")
        }
        Ok(_) => String::from_utf8(body).or_else(|error| refused(400, &error)),
        Err(error) => refused(400, &error),
    }
}

impl Rotation {
    /// Opens an existing folder, or creates one with the model `start`. `least` is the minimum
    /// number of pairs for an adaptation.
    fn open(
        folder: PathBuf,
        start: &Path,
        canary: Canary,
        least: usize,
        keys: &str,
    ) -> Result<Self> {
        let served = folder.join("served");
        let (number, previous) = if served.exists() {
            let numbers: Value = serde_json::from_str(&fs::read_to_string(served)?)?;
            (
                numbers["model"].as_u64().ok_or("the file 'served' names no model")?,
                numbers["previous"].as_u64(),
            )
        } else {
            Model::load(start)?.save(folder.join("model-0"))?;
            (0, None)
        };
        let first = Version {
            model: Model::load(folder.join(format!("model-{number}")))?,
            number,
            previous,
        };
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

    /// Replaces the file atomically: a crash leaves the old or the new numbers.
    fn write_served(&self, number: u64, previous: Option<u64>) -> Result<()> {
        fs::write(
            self.folder.join("served.new"),
            json!({"model": number, "previous": previous}).to_string(),
        )?;
        Ok(fs::rename(self.folder.join("served.new"), self.folder.join("served"))?)
    }

    fn load(&self, number: u64, previous: Option<u64>) -> Result<Version> {
        Ok(Version { model: Model::load(self.model(number))?, number, previous })
    }

    /// Serves another model. Running requests keep the old one until they have finished.
    fn serve(&self, next: Version) -> Result<()> {
        self.write_served(next.number, next.previous)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(())
    }

    /// Stores pairs, one "query TAB document" per line, until the next adaptation.
    fn collect(&self, lines: &str) -> Result<()> {
        let lines = lines.trim_end_matches('\n');
        if let Some(line) = lines.split('\n').find(|line| line.matches('\t').count() != 1) {
            return Err(format!("a query, a tab and a document are needed, not: {line}").into());
        }
        let _held = lock(&self.pairs);
        let mut file =
            fs::OpenOptions::new().append(true).create(true).open(self.folder.join("pairs.tsv"))?;
        file.write_all(format!("{lines}\n").as_bytes())?;
        Ok(file.sync_all()?)
    }

    /// Called only by the timer. If enough pairs were collected, adapts the model to them, and
    /// serves the result if it is better and the canary score is not lower. Returns what was done.
    /// If the process is stopped, the next call resumes the round.
    fn adapt(&self) -> Result<String> {
        let now = self.current();
        let (round, pairs) = (self.folder.join("round.tsv"), self.folder.join("pairs.tsv"));
        // A number is used only once: models that were rejected or rolled back keep their files.
        let free =
            |number: &u64| !self.model(*number).exists() && !self.kept("model", *number).exists();
        let next = (now.number + 1..).find(free).ok_or("no number is left")?;
        if !round.exists() {
            // Else resume the interrupted round with its own pairs.
            let _held = lock(&self.pairs);
            let count = fs::read_to_string(&pairs).map_or(0, |text| text.lines().count());
            if count < self.least {
                return Ok(format!("{count} pairs of {} were collected", self.least));
            }
            fs::rename(&pairs, &round)?;
        }
        let before = (self.canary)(&now.model)?;
        let report = match self.learn(&now.model, &round, next) {
            Ok(report) => report,
            Err(error) => {
                self.give_up(error.kind(), &round, next)
                    .map_err(|other| format!("{error}; {other}"))?;
                return Err(error.into());
            }
        };
        let reason = report.text(&["reason"]).unwrap_or_default();
        let mut done = format!("kept the model: {reason}");
        if report.flag(&["shipped"]) {
            let fresh = self.load(next, Some(now.number))?;
            let after = (self.canary)(&fresh.model)?;
            if after >= before {
                let _held = lock(&self.turn);
                if !Arc::ptr_eq(&now, &self.current()) {
                    // The model was rolled back. The pairs stay, and the next round starts from the
                    // model that is served then.
                    return Ok("the model was changed meanwhile".into());
                }
                self.serve(fresh)?;
                done = format!("serves a better model: {reason}");
            } else {
                done = format!("kept the model: the canary fell from {before} to {after}");
            }
        }
        fs::rename(&round, self.kept("model", next))?;
        Ok(done)
    }

    /// The file with the pairs of a finished round.
    fn kept(&self, how: &str, number: u64) -> PathBuf {
        self.folder.join(format!("{how}-{number}.tsv"))
    }

    /// Adapts a model to the round's pairs. Lines that are not pairs are skipped.
    fn learn(&self, model: &Model, round: &Path, next: u64) -> contrastive::Result<Report> {
        let data = Dataset::open_with(round, &Config::from_json(r#"{"data.on_error": "skip"}"#)?)?;
        model.adapt_with(&data, None, self.model(next), &Config::from_json(&self.keys)?, &self.stop)
    }

    /// Sets aside what would fail again: the adaptation, and the pairs too, unless the adaptation
    /// only does not match them.
    fn give_up(&self, kind: ErrorKind, round: &Path, next: u64) -> Result<()> {
        use ErrorKind::{Argument, Corrupt, Format, Limit, Mismatch};
        if !matches!(kind, Argument | Corrupt | Format | Limit | Mismatch) {
            return Ok(());
        }
        let begun = self.model(next).with_extension("adapting");
        if begun.exists() {
            fs::remove_dir_all(begun)?;
        }
        if kind != Mismatch {
            let failed =
                (next..).map(|number| self.kept("failed", number)).find(|file| !file.exists());
            fs::rename(round, failed.ok_or("no number is left")?)?;
        }
        Ok(())
    }

    /// Returns to the previous model.
    fn rollback(&self) -> Result<u64> {
        let _held = lock(&self.turn);
        let previous = self.current().previous.ok_or("there is no model before this one")?;
        self.serve(self.load(previous, None)?)?;
        Ok(previous)
    }

    /// Adapts on a timer until a message comes. A failed round changes nothing, and the next one
    /// tries again.
    fn run(&self, every: Duration, stopped: &Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(every) {
            match self.adapt() {
                Ok(done) => println!("{done}"),
                Err(error) => eprintln!("adapting failed: {error}"),
            }
        }
    }

    /// Serves requests until every worker is unblocked.
    fn serve_requests(&self, server: &Server) {
        let worker = || {
            while let Ok(request) = server.recv() {
                self.respond(request);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(worker);
            }
        });
    }

    fn respond(&self, mut request: Request) {
        let (method, path) = (request.method().clone(), request.url().to_string());
        let (status, answer) = read(request.as_reader())
            .map_or_else(|refused| refused, |body| self.answer(&method, &path, &body));
        let _ = request.respond(Response::from_string(answer.to_string()).with_status_code(status));
        // ignore errors: the client may have disconnected
    }

    fn answer(&self, method: &Method, path: &str, body: &str) -> (u16, Value) {
        let refused = |error: &dyn std::fmt::Display| (400, json!({"error": error.to_string()}));
        match (method, path) {
            (Method::Post, "/embed") => {
                let texts: Value = serde_json::from_str(body).unwrap_or_default();
                let texts: Option<Vec<&str>> = texts["texts"]
                    .as_array()
                    .and_then(|texts| texts.iter().map(Value::as_str).collect());
                let (Some(texts), version) = (texts, self.current()) else {
                    return refused(&"\"texts\" must be a list of texts");
                };
                match version.model.encode(&texts) {
                    Ok(vectors) => {
                        let rows = vectors.rows().collect::<Vec<_>>();
                        (200, json!({"model": version.number, "vectors": rows}))
                    }
                    Err(error) => (500, json!({"error": error.to_string()})),
                }
            }
            (Method::Post, "/pairs") => {
                self.collect(body).map_or_else(|error| refused(&error), |()| (202, json!({})))
            }
            (Method::Post, "/rollback") => self.rollback().map_or_else(
                |error| (409, json!({"error": error.to_string()})),
                |model| (200, json!({"model": model})),
            ),
            (_, "/embed" | "/pairs" | "/rollback") => (405, json!({"error": "POST is needed"})),
            _ => (404, json!({"error": "POST /embed, POST /pairs, POST /rollback"})),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::Barrier;
    use std::time::Instant;

    use super::*;

    /// Pairs; each second text has three of the first text's four words.
    fn similar() -> String {
        let words =
            "the cat dog bird house mat two old new fly run open cafe water tree green red \
            blue small man";
        let words: Vec<&str> = words.split(' ').collect();
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
        json!({"lr": 0.002, "max_steps": 40, "test_share": 0.3, "near_duplicate": 1,
            "mining.relative_margin": -1e9, "resamples": 100, "min_gain": min_gain})
        .to_string()
    }

    /// A model with fresh weights.
    fn start(folder: &Path) -> PathBuf {
        let tokenizer =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/models/bert_st");
        let recipe = json!({"tokenizer": tokenizer, "layers": 1, "hidden_size": 32,
            "attention_heads": 2, "max_length": 32, "pooling": "mean"});
        Model::create(&Config::from_json(&recipe.to_string()).unwrap())
            .unwrap()
            .save(folder.join("start"))
            .unwrap();
        folder.join("start")
    }

    fn opened(folder: &Path, first: &Path, canary: Canary, least: usize, pairs: &str) -> Rotation {
        let rotation = Rotation::open(folder.into(), first, canary, least, &quick(0.0)).unwrap();
        if !pairs.is_empty() {
            rotation.collect(pairs).unwrap();
        }
        rotation
    }

    fn same() -> Canary {
        Box::new(|_| Ok(0.0))
    }

    /// The names of `names` that are in the folder of the models.
    fn held<'a>(rotation: &Rotation, names: &[&'a str]) -> Vec<&'a str> {
        names.iter().copied().filter(|name| rotation.folder.join(name).exists()).collect()
    }

    fn kind(failed: Result<String>) -> ErrorKind {
        failed.unwrap_err().downcast::<contrastive::Error>().unwrap().kind()
    }

    fn embedded_by(rotation: &Rotation) -> u64 {
        rotation.answer(&Method::Post, "/embed", r#"{"texts": ["the cat"]}"#).1["model"]
            .as_u64()
            .unwrap()
    }

    #[test]
    fn a_better_model_takes_over_and_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let models = folder.path().join("models");
        let rotation = Arc::new(
            Rotation::open(
                models.clone(),
                &start(folder.path()),
                Box::new(|_| Ok(0.0)),
                160,
                &quick(0.0),
            )
            .unwrap(),
        );
        assert_eq!(rotation.adapt().unwrap(), "0 pairs of 160 were collected");
        assert_eq!(rotation.answer(&Method::Post, "/pairs", &similar()).0, 202);
        let (stop, stopped) = std::sync::mpsc::channel();
        let timed = Arc::clone(&rotation);
        let timer = std::thread::spawn(move || timed.run(Duration::from_millis(20), &stopped));
        let started = Instant::now();
        while embedded_by(&rotation) != 1 {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "no model took over within a minute"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        stop.send(()).unwrap();
        timer.join().unwrap();
        assert_eq!(rotation.answer(&Method::Post, "/rollback", ""), (200, json!({"model": 0})));
        assert_eq!(embedded_by(&rotation), 0);
        assert_eq!(rotation.answer(&Method::Post, "/rollback", "").0, 409);
        for refused in ["no pair", "", "\n"] {
            assert_eq!(rotation.answer(&Method::Post, "/pairs", refused).0, 400);
        }
        assert_eq!(rotation.answer(&Method::Get, "/rollback", "").0, 405);
        assert_eq!(read(&mut "\u{e9}".repeat(32 << 20).as_bytes()).unwrap().len(), 64 << 20);
        assert_eq!(read(&mut std::io::repeat(0xc3)).unwrap_err().0, 413);
        drop(rotation);
        // A restart does the same.
        let again =
            Rotation::open(models, Path::new(""), Box::new(|_| Ok(0.0)), 160, &quick(0.0)).unwrap();
        assert_eq!(again.current().number, 0);
    }

    #[test]
    fn a_model_that_is_not_better_or_fails_the_canary_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let first = start(folder.path());
        let strict = Rotation::open(
            folder.path().join("strict"),
            &first,
            Box::new(|_| Ok(0.0)),
            160,
            &quick(1.0),
        )
        .unwrap();
        strict.collect(&similar()).unwrap();
        assert!(strict.adapt().unwrap().starts_with("kept the model: ndcg@10 went from"));
        strict.collect(&similar()).unwrap();
        assert!(strict.adapt().unwrap().starts_with("kept the model: ndcg@10 went from"));
        // The pairs of both rounds are there.
        assert_eq!(
            held(&strict, &["model-1.tsv", "model-2.tsv", "model-1", "model-2", "round.tsv"]),
            ["model-1.tsv", "model-2.tsv"]
        );
        let asked = AtomicU32::new(0);
        let served = folder.path().join("watched/served");
        let falling: Canary = Box::new(move |_| {
            assert!(
                fs::read_to_string(&served).unwrap().contains(r#""model":0"#),
                "it is served before the canary was asked"
            );
            Ok(1.0 / f64::from(asked.fetch_add(1, Ordering::Relaxed) + 1))
        });
        let watched = opened(&folder.path().join("watched"), &first, falling, 160, &similar());
        assert_eq!(watched.adapt().unwrap(), "kept the model: the canary fell from 1 to 0.5");
        assert_eq!(watched.current().number, 0);
        assert_eq!(
            held(&watched, &["model-1", "model-1.tsv", "round.tsv"]),
            ["model-1", "model-1.tsv"]
        );
        let pairs = folder.path().join("canary.tsv");
        fs::write(&pairs, "the cat\tthe cat\na dog\ta dog\n").unwrap();
        assert_eq!(found(&watched.current().model, pairs.to_str().unwrap()).unwrap(), 1.0);
    }

    #[test]
    fn a_canary_that_fails_leaves_the_model_and_the_pairs() {
        let folder = tempfile::tempdir().unwrap();
        let asked = AtomicU32::new(0);
        // It fails for the served model, and in the next round for the new one.
        let ill: Canary = Box::new(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
            0 | 2 => Err(Config::from_json("{").unwrap_err()),
            _ => Ok(1.0),
        });
        let rotation =
            opened(&folder.path().join("models"), &start(folder.path()), ill, 160, &similar());
        for _ in 0..2 {
            rotation.adapt().unwrap_err();
            assert_eq!(rotation.current().number, 0);
            assert_eq!(held(&rotation, &["round.tsv", "failed-1.tsv"]), ["round.tsv"]);
        }
        assert!(rotation.adapt().unwrap().starts_with("serves a better model"));
        assert!(held(&rotation, &["round.tsv"]).is_empty());
    }

    #[test]
    fn a_round_that_was_broken_off_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let first = start(folder.path());
        // Long enough to be stopped in the middle.
        let slow = quick(0.0)
            .replace("0.002", "0.0001")
            .replace(r#""max_steps":40"#, r#""max_steps":1000"#);
        let interrupted = |models: &Path| {
            let mut rotation = opened(models, &first, same(), 160, &similar());
            rotation.keys = slow.clone();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let started = Instant::now();
                    while !models.join("model-1.adapting/split.done.json").exists()
                        && started.elapsed() < Duration::from_secs(60)
                    {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    rotation.stop.trigger();
                });
                assert_eq!(kind(rotation.adapt()), ErrorKind::Cancelled);
            });
            assert_eq!(held(&rotation, &["round.tsv", "model-1.adapting"]).len(), 2);
        };
        let all = ["model-1", "model-1.tsv", "round.tsv", "model-1.adapting", "failed-1.tsv"];
        let models = folder.path().join("models");
        interrupted(&models);
        let mut again = opened(&models, Path::new(""), same(), 160, ""); // as a restart does
        again.keys = slow.clone();
        assert!(again.adapt().unwrap().starts_with("serves a better model"));
        assert_eq!(held(&again, &all), ["model-1", "model-1.tsv"]);

        let models = folder.path().join("others");
        interrupted(&models);
        let mut others = opened(&models, Path::new(""), same(), 160, "");
        // The round that was begun has other settings.
        others.keys = quick(0.0).replacen('{', r#"{"seed": 7, "#, 1);
        assert_eq!(kind(others.adapt()), ErrorKind::Mismatch);
        assert_eq!(held(&others, &all), ["round.tsv"]);
        assert!(others.adapt().unwrap().starts_with("serves a better model"));
    }

    fn ask(server: &Server, path: &str, body: &str) -> Value {
        let mut stream =
            std::net::TcpStream::connect(server.server_addr().to_ip().unwrap()).unwrap();
        let length = body.len();
        write!(stream, "POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n").unwrap();
        write!(stream, "Content-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    #[test]
    fn a_rollback_during_a_round_wins() {
        let folder = tempfile::tempdir().unwrap();
        let (first, models) = (start(folder.path()), folder.path().join("models"));
        opened(&models, &first, same(), 160, "")
            .current()
            .model
            .save(models.join("model-1"))
            .unwrap();
        fs::write(models.join("served"), r#"{"model": 1, "previous": 0}"#).unwrap();
        let (asked, made) = (AtomicU32::new(0), Arc::new(Barrier::new(2)));
        let held_up = Arc::clone(&made);
        let slow: Canary = Box::new(move |_| {
            if asked.fetch_add(1, Ordering::Relaxed) == 1 {
                held_up.wait(); // the new model exists, but is not served yet
                held_up.wait();
            }
            Ok(1.0)
        });
        let (rotation, server) =
            (opened(&models, &first, slow, 160, &similar()), Server::http("127.0.0.1:0").unwrap());
        std::thread::scope(|scope| {
            scope.spawn(|| rotation.serve_requests(&server));
            let round = scope.spawn(|| rotation.adapt().unwrap());
            made.wait();
            let model = || ask(&server, "/embed", r#"{"texts": ["the cat"]}"#)["model"].clone();
            assert_eq!(model(), 1);
            assert_eq!(ask(&server, "/rollback", ""), json!({"model": 0}));
            made.wait();
            assert_eq!(round.join().unwrap(), "the model was changed meanwhile");
            assert_eq!(model(), 0);
            assert_eq!(
                held(&rotation, &["model-2", "model-2.tsv", "round.tsv"]),
                ["model-2", "round.tsv"]
            );
            // The restored model learns from the same pairs, and a number is used once.
            assert!(rotation.adapt().unwrap().starts_with("serves a better model"));
            assert_eq!(model(), 3);
            (0..WORKERS).for_each(|_| server.unblock());
        });
    }

    #[test]
    fn a_bad_round_does_not_stop_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let rotation = opened(&folder.path().join("models"), &start(folder.path()), same(), 1, "");
        for failed in ["failed-1.tsv", "failed-2.tsv"] {
            rotation.collect("a query\ta document").unwrap(); // too few for a test
            assert_eq!(kind(rotation.adapt()), ErrorKind::Argument);
            assert_eq!(held(&rotation, &[failed, "round.tsv", "model-1.adapting"]), [failed]);
        }
        rotation.collect(&(similar() + "a line\twith a \0")).unwrap();
        assert!(rotation.adapt().unwrap().starts_with("serves a better model"));
    }
}
