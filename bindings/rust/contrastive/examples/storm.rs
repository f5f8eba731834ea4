//! A stress test. Short-lived threads load, embed, search, train, copy, cancel, drop objects that
//! others use, panic while they own objects, are interrupted by signals, replace the log sink, and
//! misuse all of it, on shared objects.
//!
//! `storm MODEL [SECONDS [SEED]]`
//!
//! Nothing may crash or hang. A call may fail only as the crate documents. Embeddings must equal
//! those that one thread computed before, within 1e-6. At the end of a round everything is dropped:
//! no handle may be left, and threads, file descriptors and memory must be what they were after the
//! first rounds. If a worker makes no progress for a minute, that is a hang: the program prints
//! where, and aborts, so that a debugger or a core file shows all stacks.
use std::cell::Cell;
use std::os::unix::thread::{JoinHandleExt, RawPthread};
use std::panic::{catch_unwind, panic_any, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use contrastive::{
    Cancel, Config, Dataset, EncodeOptions, ErrorKind, Limit, LogLevel, Metric, Model, Result,
    Rows, Trainer, Vectors,
};

const WORKERS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(60);
const ACTS: [&str; 9] =
    ["load", "encode", "search", "train", "snapshot", "cancel", "drop", "misuse", "sink"];
const TEXTS: [&[u8]; 6] = [
    b"the cat sat",
    b"a dog runs",
    b"",
    b"two birds fly over the old house",
    b"red \xff and blue",
    b"one man walks",
];
const PAIRS: [(&str, &str); 8] = [
    ("the cat sat", "a cat sits"),
    ("a dog runs", "the dog ran"),
    ("two birds fly", "birds in the air"),
    ("the old house", "a very old house"),
    ("red and blue", "blue and red"),
    ("one man walks", "a man is walking"),
    ("she eats fish", "fish is eaten"),
    ("it is closed", "closed today"),
];

static DONE: [AtomicU64; ACTS.len()] = [const { AtomicU64::new(0) }; ACTS.len()];
static INTERRUPTED: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);
static MESSAGES: AtomicU64 = AtomicU64::new(0);
static SEED: AtomicU64 = AtomicU64::new(0);
static STOP: AtomicBool = AtomicBool::new(false);
static FOLDER: OnceLock<String> = OnceLock::new();
static REFERENCE: OnceLock<Vec<Vec<f32>>> = OnceLock::new();

/// When each worker's current operation began, in milliseconds since START, and which it is; 0:
/// none.
static BEATS: [AtomicU64; WORKERS] = [const { AtomicU64::new(0) }; WORKERS];
static DOING: [AtomicU64; WORKERS] = [const { AtomicU64::new(0) }; WORKERS];
static START: OnceLock<Instant> = OnceLock::new();

/// The objects that the threads share: one drops what another uses.
type Slots<T> = [Mutex<Option<Arc<T>>>; 4];
static MODELS: Slots<Model> = [const { Mutex::new(None) }; 4];
static TRAINERS: Slots<Mutex<Trainer>> = [const { Mutex::new(None) }; 4];
static CANCELS: Slots<Cancel> = [const { Mutex::new(None) }; 4];

fn die(what: &str, why: impl std::fmt::Display) -> ! {
    eprintln!("storm: seed {}: {what}: {why}", SEED.load(SeqCst));
    std::process::abort();
}

fn milliseconds() -> u64 {
    START.get_or_init(Instant::now).elapsed().as_millis() as u64 + 1
}

/// Counts a failed call, and ends the program if it failed in a way that is not allowed.
fn ended<T>(what: &str, result: Result<T>, allowed: &[ErrorKind]) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) if allowed.contains(&error.kind()) && !error.message().is_empty() => {
            REFUSED.fetch_add(1, SeqCst);
            None
        }
        Err(error) => die(what, format_args!("{:?}: {error}", error.kind())),
    }
}

fn refused<T>(what: &str, result: Result<T>, kind: ErrorKind) {
    if ended(what, result, &[kind]).is_some() {
        die(what, "no error");
    }
}

fn same(row: &[f32], text: usize) -> bool {
    let expected = &REFERENCE.get().expect("made before the storm")[text];
    row.len() == expected.len() && row.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-6)
}

struct Worker {
    chance: u64,
}

impl Worker {
    fn dice(&mut self, sides: usize) -> usize {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance >> 33) as usize % sides
    }

    fn look<T>(&mut self, slots: &Slots<T>) -> Option<Arc<T>> {
        slots[self.dice(slots.len())].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put<T>(&mut self, slots: &Slots<T>, value: Option<Arc<T>>) {
        let former = std::mem::replace(
            &mut *slots[self.dice(slots.len())].lock().unwrap_or_else(PoisonError::into_inner),
            value,
        );
        drop(former); // dropped outside of the lock; others may still use it
    }

    /// Each operation returns whether it made a call.
    fn load(&mut self) -> bool {
        let model = ended("Model::load", Model::load(FOLDER.get().unwrap()), &[]);
        self.put(&MODELS, model.map(Arc::new));
        refused("Model::load of nothing", Model::load("/nowhere/at/all"), ErrorKind::NotFound);
        true
    }

    fn encode(&mut self) -> bool {
        let Some(model) = self.look(&MODELS) else { return false };
        let which: Vec<usize> =
            (0..1 + self.dice(2 * TEXTS.len())).map(|_| self.dice(TEXTS.len())).collect();
        let texts: Vec<Vec<u8>> = which.iter().map(|text| TEXTS[*text].to_vec()).collect();
        let cancel = self.look(&CANCELS).filter(|_| self.dice(3) == 0);
        let options = EncodeOptions {
            batch_tokens: if self.dice(3) == 0 { 8 } else { 0 },
            cancel: cancel.as_deref(),
            ..Default::default()
        };
        let Some(vectors) =
            ended("encode", model.encode_with(&texts, options), &[ErrorKind::Cancelled])
        else {
            return false;
        };
        if !vectors.rows().zip(&which).all(|(row, text)| same(row, *text)) {
            die("encode", "another embedding than one thread computed");
        }
        true
    }

    fn search(&mut self) -> bool {
        let values: Vec<f32> = (0..64 * 8).map(|_| self.dice(1000) as f32 / 500.0 - 1.0).collect();
        let (row, corpus, cancel) = (
            self.dice(64),
            Vectors::new(values, 8).unwrap(),
            self.look(&CANCELS).filter(|_| self.dice(3) == 0),
        );
        let query = Rows::new(corpus.row(row), 8).unwrap();
        let hits = ended(
            "search",
            contrastive::search_with(query, &corpus, 2, Metric::Euclidean, cancel.as_deref()),
            &[ErrorKind::Cancelled],
        );
        let found = hits.is_some();
        if hits.is_some_and(|hits| hits[0][0].score != 0.0 || hits[0][0].index > row) {
            die("search", "a row is not its own nearest");
        }
        found
    }

    fn train(&mut self) -> bool {
        if self.dice(3) == 0 {
            let Some(model) = self.look(&MODELS) else { return false };
            let clsr = r#"{"method": "clsr", "batch_size": 4, "max_steps": 20, "lr": 0.001}"#;
            let consert = r#"{"method": "consert", "batch_size": 4, "max_steps": 6}"#;
            let config = Config::from_json(if self.dice(2) == 0 { clsr } else { consert }).unwrap();
            let data = Dataset::from_examples(PAIRS).unwrap();
            let trainer = ended("Trainer::new", Trainer::new(&model, &data, &config), &[]);
            self.put(&TRAINERS, trainer.map(|trainer| Arc::new(Mutex::new(trainer))));
            return false; // no step yet
        }
        let (Some(trainer), cancel) =
            (self.look(&TRAINERS), self.look(&CANCELS).filter(|_| self.dice(2) == 0))
        else {
            return false;
        };
        let mut trainer = trainer.lock().unwrap_or_else(PoisonError::into_inner);
        match self.dice(8) {
            0 => {
                let examples = PAIRS[..4].iter().map(|pair| (*pair).into()).collect::<Vec<_>>();
                ended(
                    "batch",
                    trainer.batch_with(&examples, cancel.as_deref()),
                    &[ErrorKind::Cancelled],
                )
                .is_some()
            }
            1 => {
                let trained =
                    ended("Trainer::model", trainer.model(), &[]).expect("no error is allowed");
                let row = ended(
                    "encode_text of a trained model",
                    trained.encode_text("the cat sat"),
                    &[],
                )
                .expect("no error is allowed");
                if !row.iter().all(|value| value.is_finite()) {
                    die("a trained model", "its embedding is not finite");
                }
                true
            }
            2 => panic_any("with a trainer in the hand and its lock held"),
            _ => {
                let stepped =
                    ended("step", trainer.step_with(cancel.as_deref()), &[ErrorKind::Cancelled])
                        .is_some();
                if trainer.metric("step").is_none_or(|step| !(0.0..=20.0).contains(&step)) {
                    die("metric", "a step that no run has");
                }
                stepped
            }
        }
    }

    fn snapshot(&mut self) -> bool {
        let Some(model) = self.look(&MODELS) else { return false };
        let copy = ended("snapshot", model.snapshot(), &[]).expect("no error is allowed");
        if !same(
            &ended("encode_text", copy.encode_text(TEXTS[0]), &[]).expect("no error is allowed"),
            0,
        ) {
            die("a snapshot", "has other embeddings");
        }
        self.put(&MODELS, Some(Arc::new(copy)));
        true
    }

    fn cancel(&mut self) -> bool {
        let former = self.look(&CANCELS);
        if let Some(cancel) = &former {
            cancel.trigger();
        }
        let cancel = ended("Cancel::new", Cancel::new(), &[]);
        self.put(&CANCELS, cancel.map(Arc::new));
        former.is_some()
    }

    fn drop(&mut self) -> bool {
        self.put(&MODELS, None);
        if self.dice(4) == 0 {
            self.put(&TRAINERS, None);
        }
        true
    }

    fn misuse(&mut self) -> bool {
        struct Fickle(Cell<usize>);
        impl AsRef<[u8]> for Fickle {
            fn as_ref(&self) -> &[u8] {
                self.0.set(self.0.get() + 7);
                &b"a text that is never as long as it was the last time"[..self.0.get() % 50]
            }
        }
        refused(
            "similarity",
            contrastive::similarity(
                Rows::new(&[1.0], 1).unwrap(),
                Rows::new(&[1.0, 2.0], 2).unwrap(),
                Metric::Dot,
            ),
            ErrorKind::Mismatch,
        );
        refused("from_rows", Vectors::from_rows(&[vec![1.0, 2.0], vec![1.0]]), ErrorKind::Argument);
        refused("from_json", Config::from_json(r#"{"lr": "#), ErrorKind::Format);
        let Some(model) = self.look(&MODELS) else { return false };
        refused("encode_into", model.encode_into(&TEXTS[..1], &mut [0.0; 31]), ErrorKind::Buffer);
        refused(
            "encode_with",
            model.encode_with(
                &TEXTS,
                EncodeOptions { pooling: Some("nonsense"), ..Default::default() },
            ),
            ErrorKind::Argument,
        );
        refused(
            "Trainer::new",
            Trainer::new(&model, None, &Config::from_json(r#"{"metod": "clsr"}"#).unwrap()),
            ErrorKind::Argument,
        );
        refused("tokenize", model.tokenize("a text", Limit::Tokens(0)), ErrorKind::Argument);
        ended(
            "encode of fickle texts",
            model.encode(&[Fickle(Cell::new(self.dice(50))), Fickle(Cell::new(self.dice(50)))]),
            &[],
        );
        true
    }

    fn sink(&mut self) -> bool {
        struct Grenade;
        impl Drop for Grenade {
            fn drop(&mut self) {
                panic_any("a payload that panics when it is dropped");
            }
        }
        let count = || {
            MESSAGES.fetch_add(1, SeqCst);
        };
        let set = match self.dice(5) {
            0 => contrastive::clear_log_sink(),
            1 => contrastive::set_log_sink(LogLevel::Debug, move |_, _| count()),
            2 => contrastive::set_log_sink(LogLevel::Debug, move |_, _| {
                count();
                panic_any("in a sink")
            }),
            3 => contrastive::set_log_sink(LogLevel::Debug, |_, _| panic_any(Grenade)),
            _ => contrastive::set_log_sink(LogLevel::Debug, |_, _| {
                refused("clear_log_sink in a sink", contrastive::clear_log_sink(), ErrorKind::Busy);
                refused(
                    "Model::load in a sink",
                    Model::load(FOLDER.get().unwrap()),
                    ErrorKind::Busy,
                );
            }),
        };
        ended("set_log_sink", set, &[]);
        let data = Dataset::read(
            &b"a\tb\n\t\nc\td\n"[..],
            &Config::from_json(r#"{"data.format": "tsv"}"#).unwrap(),
        );
        if ended("Dataset::read", data, &[]).expect("no error is allowed").len() != 2 {
            die("Dataset::read", "another number of examples");
        }
        true
    }

    fn run(&mut self, index: usize) {
        while !STOP.load(SeqCst) {
            let act = [0, 1, 1, 1, 1, 2, 3, 3, 3, 3, 4, 5, 6, 7, 8][self.dice(15)];
            DOING[index].store(act as u64, SeqCst);
            BEATS[index].store(milliseconds(), SeqCst);
            let act_of = [
                Self::load,
                Self::encode,
                Self::search,
                Self::train,
                Self::snapshot,
                Self::cancel,
                Self::drop,
                Self::misuse,
                Self::sink,
            ][act];
            // Only the intended panics are allowed: a text type of this program, not of the crate.
            match catch_unwind(AssertUnwindSafe(|| act_of(self))) {
                Err(payload)
                    if !payload
                        .downcast_ref::<&str>()
                        .is_some_and(|text| text.contains("in the hand")) =>
                {
                    die(ACTS[act], "panicked")
                }
                result => DONE[act].fetch_add(u64::from(result.unwrap_or(false)), SeqCst),
            };
        }
        BEATS[index].store(0, SeqCst);
    }
}

fn look_for_hangs() {
    for (beat, act) in BEATS.iter().zip(&DOING) {
        let since = beat.load(SeqCst);
        if since != 0 && milliseconds().saturating_sub(since) > PATIENCE.as_millis() as u64 {
            die(ACTS[act.load(SeqCst) as usize], "hangs");
        }
    }
}

/// What is left after a round.
#[derive(Clone, Copy)]
struct Figures {
    kilobytes: i64,
    threads: usize,
    descriptors: usize,
}

extern "C" {
    #[cfg(target_env = "gnu")]
    fn malloc_trim(pad: usize) -> i32;
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
    fn siginterrupt(number: i32, flag: i32) -> i32;
    fn pthread_kill(thread: RawPthread, number: i32) -> i32;
}
const SIGUSR2: i32 = 12;

extern "C" fn interrupted(_number: i32) {
    INTERRUPTED.fetch_add(1, SeqCst);
}

fn measure() -> Figures {
    // SAFETY: returns free memory to the system, so that the figure is memory in use, without what
    // ended threads had allocated.
    #[cfg(target_env = "gnu")]
    unsafe {
        malloc_trim(0);
    }
    let entries = |folder: &str| std::fs::read_dir(folder).map_or(0, Iterator::count);
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a size");
    let kilobytes =
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number");
    let mut threads = entries("/proc/self/task");
    let mut same = 0;
    for _ in 0..400 {
        // A joined thread is listed until the scheduler has run it once more.
        std::thread::sleep(Duration::from_millis(5));
        let before = std::mem::replace(&mut threads, entries("/proc/self/task"));
        same = if threads == before { same + 1 } else { 0 };
        if same == 20 {
            break;
        }
    }
    Figures { kilobytes, threads, descriptors: entries("/proc/self/fd") }
}

fn round(number: u64, length: Duration) -> Figures {
    STOP.store(false, SeqCst);
    let begin = |index: usize| {
        BEATS[index].store(milliseconds(), SeqCst);
        let chance = (SEED.load(SeqCst) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (number * WORKERS as u64 + index as u64 + 1).wrapping_mul(0xbf58_476d);
        std::thread::spawn(move || Worker { chance }.run(index))
    };
    let threads: Vec<_> = (0..WORKERS).map(begin).collect();
    let end = Instant::now() + length;
    for i in 0.. {
        if Instant::now() >= end {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
        // SAFETY: the thread was not joined, and the handler only counts. The thread's system call
        // ends with EINTR.
        unsafe {
            pthread_kill(threads[i * 5 % WORKERS].as_pthread_t(), SIGUSR2);
        }
        look_for_hangs();
    }
    STOP.store(true, SeqCst);
    for thread in threads {
        while !thread.is_finished() {
            std::thread::sleep(Duration::from_millis(1));
            look_for_hangs();
        }
        if thread.join().is_err() {
            die("a worker", "panicked");
        }
    }
    ended("clear_log_sink", contrastive::clear_log_sink(), &[]);
    (0..4).for_each(|i| {
        MODELS[i].lock().unwrap_or_else(PoisonError::into_inner).take();
        TRAINERS[i].lock().unwrap_or_else(PoisonError::into_inner).take();
        CANCELS[i].lock().unwrap_or_else(PoisonError::into_inner).take();
    });
    if contrastive::live_handles() != 0 {
        die("a round", format_args!("{} handles are left", contrastive::live_handles()));
    }
    measure()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    FOLDER.set(arguments.get(1).expect("storm MODEL [SECONDS [SEED]]").clone()).unwrap();
    let length: f64 = arguments.get(2).map_or(20.0, |seconds| seconds.parse().expect("seconds"));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    SEED.store(arguments.get(3).map_or(now, |seed| seed.parse().expect("a seed")), SeqCst);
    println!("storm: {length} s, seed {}", SEED.load(SeqCst));
    let usual = std::panic::take_hook(); // there are many intended panics: print only the others
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref::<String>().is_some() {
            usual(panic);
        }
    }));
    // SAFETY: the handler only counts.
    unsafe {
        signal(SIGUSR2, interrupted);
        siginterrupt(SIGUSR2, 1);
    }
    // The models are tiny, so threads would only wait for each other.
    contrastive::set_threads(1).expect("one thread");
    let model = Model::load(FOLDER.get().unwrap()).expect("the model loads");
    REFERENCE
        .set(TEXTS.iter().map(|text| model.encode_text(text).expect("a text embeds")).collect())
        .unwrap();
    drop(model);

    // Rounds have equal length; a long run has more of them. The first four warm up.
    let rounds = 12 + (length / 60.0) as u64;
    let each = Duration::from_secs_f64(length / rounds as f64);
    let all: Vec<Figures> = (0..rounds).map(|number| round(number, each)).skip(3).collect();
    // The median of the slopes between any two rounds, on which a single outlier has no influence
    // (Theil and Sen).
    let pairs = (0..all.len()).flat_map(|i| (i + 2..all.len()).map(move |j| (i, j)));
    let mut slopes: Vec<f64> =
        pairs.map(|(i, j)| (all[j].kilobytes - all[i].kilobytes) as f64 / (j - i) as f64).collect();
    slopes.sort_by(f64::total_cmp);
    let (slope, first, last) = (slopes[slopes.len() / 2], all[0], all[all.len() - 1]);
    println!(
        "storm: KB after each round: {}",
        all.iter().map(|round| round.kilobytes.to_string()).collect::<Vec<_>>().join(" ")
    );
    let done: Vec<String> = ACTS
        .iter()
        .zip(&DONE)
        .map(|(act, count)| format!("{act} {}", count.load(SeqCst)))
        .collect();
    println!(
        "storm: {rounds} rounds; {}; {} calls refused; {} interruptions; {} messages; \
         memory {} KB, {slope:+.0} KB a round ({:.1} s); threads {}, {:+}; descriptors {}, {:+}",
        done.join(" "),
        REFUSED.load(SeqCst),
        INTERRUPTED.load(SeqCst),
        MESSAGES.load(SeqCst),
        last.kilobytes,
        each.as_secs_f64(),
        last.threads,
        last.threads as i64 - first.threads as i64,
        last.descriptors,
        last.descriptors as i64 - first.descriptors as i64,
    );
    if DONE.iter().chain([&INTERRUPTED, &MESSAGES]).any(|count| count.load(SeqCst) == 0) {
        die("something", "was never done");
    }
    if last.threads != first.threads || last.descriptors != first.descriptors {
        die("threads or descriptors", "are not what they were");
    }
    // The figures of a short round are not stable.
    if slope > if each.as_secs() < 10 { 4096.0 } else { 512.0 } {
        die("memory", "grows in every round");
    }
}
