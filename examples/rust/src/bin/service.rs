//! Embeds texts over HTTP, and retrains itself in the background without dropping a request.
//!
//!     cargo run --release --bin service -- MODEL [localhost:8080]
//!     curl -d '{"texts": ["a first text", "a second"]}' localhost:8080/embed
//!     curl --data-binary @pairs.tsv localhost:8080/retrain
use std::error::Error;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;

use contrastive::{Cancel, Config, Dataset, Model, Trainer};
use serde_json::{json, Value};
use tiny_http::{Header, Method, Request, Response, Server};

const WORKERS: usize = 8;
const LARGEST_REQUEST: u64 = 16 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, address @ ..] = arguments.as_slice() else {
        return Err("usage: service MODEL [ADDRESS]".into());
    };
    let address = address.first().map_or("localhost:8080", String::as_str);
    let running = Running::start(model.as_ref(), address)?;
    println!("listening on {address}");
    let (stop, stopped) = std::sync::mpsc::channel();
    ctrlc::set_handler(move || stop.send(()).unwrap_or(()))?;
    stopped.recv()?;
    running.stop();
    Ok(())
}

/// A model and its number, from 0.
struct Version {
    model: Model,
    number: u64,
}

/// Serves the current model while the next one is trained. Running requests keep the old one until
/// they have finished.
struct Service {
    current: RwLock<Arc<Version>>,
    training: AtomicBool,
    trainer: Mutex<Option<JoinHandle<()>>>,
    stop: Cancel,
    failure: Mutex<String>,
}

type Answer = (u16, Value);

impl Service {
    fn open(folder: &Path) -> contrastive::Result<Self> {
        let first = Version { model: Model::load(folder)?, number: 0 };
        Ok(Self {
            current: RwLock::new(Arc::new(first)),
            training: AtomicBool::new(false),
            trainer: Mutex::default(),
            stop: Cancel::new()?,
            failure: Mutex::default(),
        })
    }

    fn current(&self) -> Arc<Version> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn answer(self: &Arc<Self>, method: &Method, path: &str, body: &mut dyn Read) -> Answer {
        match (method, path) {
            (Method::Post, "/embed") => self.embed(body),
            (Method::Post, "/retrain") => self.retrain(body),
            (Method::Get, "/status") => self.status(),
            _ => (404, json!({"error": "POST /embed, POST /retrain, GET /status"})),
        }
    }

    fn embed(&self, body: &mut dyn Read) -> Answer {
        let request: Value = match serde_json::from_reader(body.take(LARGEST_REQUEST)) {
            Ok(request) => request,
            Err(error) => return (400, json!({"error": error.to_string()})),
        };
        let texts: Option<Vec<&str>> =
            request["texts"].as_array().and_then(|texts| texts.iter().map(Value::as_str).collect());
        let Some(texts) = texts else {
            return (400, json!({"error": "\"texts\" must be a list of texts"}));
        };
        let version = self.current();
        match version.model.encode(&texts) {
            Ok(vectors) => (
                200,
                json!({"model": version.number, "vectors": vectors.rows().collect::<Vec<_>>()}),
            ),
            Err(error) => (500, json!({"error": error.to_string()})),
        }
    }

    /// Accepts pairs, one "text TAB text" per line, and returns at once. The training runs in the
    /// background.
    fn retrain(self: &Arc<Self>, body: &mut dyn Read) -> Answer {
        if self.training.swap(true, Ordering::AcqRel) {
            return (409, json!({"error": "a training runs already"}));
        }
        let format = Config::from_json(r#"{"data.format": "tsv"}"#);
        let data = match format.and_then(|format| Dataset::read(body, &format)) {
            Ok(data) => data,
            Err(error) => {
                self.training.store(false, Ordering::Release);
                return (400, json!({"error": error.to_string()}));
            }
        };
        let pairs = data.len();
        let service = Arc::clone(self);
        // Taken before the thread can admit the next training.
        let mut trainer = self.trainer.lock().unwrap_or_else(PoisonError::into_inner);
        *trainer = Some(std::thread::spawn(move || {
            let failure =
                service.train(&data).err().map_or_else(String::new, |error| error.to_string());
            *service.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
            service.training.store(false, Ordering::Release);
        }));
        (202, json!({"pairs": pairs}))
    }

    /// Trains the next model from the current one and swaps them.
    fn train(&self, data: &Dataset) -> contrastive::Result<()> {
        let old = self.current();
        let config = Config::from_json(
            r#"{"method": "clsr", "clsr.encoder_init": "identity", "clsr.projection": "none",
                "epochs": 5, "batch_size": 16, "optimizer": "adamw", "lr": 0.001}"#,
        )?;
        let mut trainer = Trainer::new(&old.model, data, &config)?;
        for progress in trainer.run_with(&self.stop) {
            progress?;
        }
        let next = Version { model: trainer.model()?, number: old.number + 1 };
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(())
    }

    fn status(&self) -> Answer {
        let version = self.current();
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        (
            200,
            json!({"model": version.number, "dimension": version.model.dimension(),
                "failure": *failure}),
        )
    }
}

/// A service and its worker threads.
struct Running {
    service: Arc<Service>,
    server: Arc<Server>,
    workers: Vec<JoinHandle<()>>,
}

impl Running {
    fn start(model: &Path, address: &str) -> Result<Self, Box<dyn Error>> {
        let service = Arc::new(Service::open(model)?);
        let server = Arc::new(Server::http(address).map_err(|error| error.to_string())?);
        let worker = |_| {
            let (service, server) = (Arc::clone(&service), Arc::clone(&server));
            std::thread::spawn(move || {
                while let Ok(request) = server.recv() {
                    respond(&service, request);
                }
            })
        };
        let workers = (0..WORKERS).map(worker).collect();
        Ok(Self { service, server, workers })
    }

    /// Finishes running requests and stops a running training.
    fn stop(self) {
        self.workers.iter().for_each(|_| self.server.unblock());
        for worker in self.workers {
            let _ = worker.join(); // a panic was printed where it happened
        }
        self.service.stop.trigger();
        let trainer = self.service.trainer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _ = trainer.map(JoinHandle::join);
    }
}

fn respond(service: &Arc<Service>, mut request: Request) {
    let (method, path) = (request.method().clone(), request.url().to_string());
    let (status, body) = service.answer(&method, &path, request.as_reader());
    let kind = Header::from_bytes("Content-Type", "application/json").expect("a header");
    let body = body.to_string().into_bytes();
    let length = body.len();
    let _ = request.respond(Response::new(
        status.into(),
        vec![kind],
        Cursor::new(body),
        Some(length),
        None,
    ));
    // ignore errors: the client may have disconnected
}

#[cfg(test)]
#[path = "../corpus.rs"]
mod corpus;

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{SocketAddr, TcpStream};
    use std::sync::atomic::AtomicU64;
    use std::time::{Duration, Instant};

    use super::*;

    fn ask(address: SocketAddr, path: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        write!(stream, "POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n").unwrap();
        write!(stream, "Content-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or_else(|| panic!("no answer: '{answer}'"));
        (status, serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap())
    }

    /// Clients send requests without a pause while three models are trained and swapped in: no
    /// request fails, and the old models are freed.
    #[test]
    fn no_request_is_dropped() {
        let running = Running::start(&corpus::model(), "127.0.0.1:0").unwrap();
        let address = running.server.server_addr().to_ip().unwrap();
        let (newest, answered, over) =
            (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let client = |client: usize| {
            let mut i = 0;
            while !over.load(Ordering::Relaxed) {
                let first = format!("request {i} of client {client}");
                let body = json!({"texts": [first, "\u{1f600} and a second text"]}).to_string();
                let (status, answer) = ask(address, "/embed", &body);
                assert!(
                    status == 200
                        && answer["vectors"][1].as_array().is_some_and(|row| !row.is_empty()),
                    "{status} {answer}"
                );
                newest.fetch_max(answer["model"].as_u64().unwrap(), Ordering::Relaxed);
                answered.fetch_add(1, Ordering::Relaxed);
                i += 1;
            }
        };
        let pairs = corpus::lines(&corpus::pairs());
        std::thread::scope(|scope| {
            let clients: Vec<_> =
                (0..6).map(|number| scope.spawn(move || client(number))).collect();
            for round in 1..=3 {
                let before = answered.load(Ordering::Relaxed);
                assert_eq!(ask(address, "/retrain", &pairs).0, 202);
                assert_eq!(ask(address, "/retrain", "a\tb\n").0, 409);
                let started = Instant::now();
                while newest.load(Ordering::Relaxed) < round
                    || running.service.training.load(Ordering::Acquire)
                {
                    let in_time = started.elapsed() < Duration::from_secs(60);
                    if !in_time || clients.iter().any(|client| client.is_finished()) {
                        over.store(true, Ordering::Relaxed);
                        panic!("no model {round}: {:?}", running.service.failure.lock());
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
                assert!(
                    answered.load(Ordering::Relaxed) > before,
                    "nothing was answered during the training"
                );
            }
            over.store(true, Ordering::Relaxed);
        });
        assert_eq!(ask(address, "/retrain", "").0, 400);
        assert_eq!(ask(address, "/embed", "{}").0, 400);
        running.stop();
        let answered = answered.into_inner();
        println!("{answered} requests answered, 0 failed, while 3 models were trained and swapped");
        assert!(answered >= 20);
        assert_eq!(
            contrastive::live_handles(),
            0,
            "handles are left after the service was stopped"
        );
    }
}
