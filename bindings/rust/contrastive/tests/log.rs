//! Tests of the log sink: what it receives, what it may do, and that a misbehaving sink breaks
//! nothing. One test at a time, because the process has one sink.
mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use common::config;
use contrastive::{Dataset, ErrorKind, LogLevel};

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the library log a message.
fn warn() -> Dataset {
    Dataset::read(&b"a\tb\n\t\nc\td\n"[..], &config(r#"{"data.format": "tsv"}"#)).unwrap()
}

#[test]
fn messages_go_to_the_sink() {
    let _alone = alone();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    contrastive::set_log_sink(LogLevel::Debug, move |level, message| {
        kept.lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .push((level, message.to_string()));
        assert_ne!(level, LogLevel::Warning, "a panic of a sink has no effect");
    })
    .unwrap();
    warn();
    let count = || lines.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).len();
    assert!(count() > 0);
    assert!(lines
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
        .iter()
        .any(|(_, message)| message.contains("empty")));
    contrastive::clear_log_sink().unwrap();
    let before = count();
    warn();
    assert_eq!(count(), before);
    assert_eq!(Arc::strong_count(&lines), 1, "the sink was freed");

    contrastive::set_log_sink(LogLevel::Info, |_, _| {
        let error = contrastive::set_log_sink(LogLevel::Info, |_, _| ())
            .expect_err("a sink must not set another");
        assert_eq!(error.kind(), ErrorKind::Busy);
    })
    .unwrap();
    warn();
    contrastive::clear_log_sink().unwrap();
}

/// One thread replaces the sink in a loop, others make the library log, and the running sink tries
/// to clear it: only that is refused, and there is no deadlock.
#[test]
fn the_running_sink_may_not_replace_itself() {
    let _alone = alone();
    static REFUSED: AtomicUsize = AtomicUsize::new(0);
    static OTHER: AtomicUsize = AtomicUsize::new(0);
    let clear = |_, _: &str| match contrastive::clear_log_sink() {
        Err(error)
            if error.kind() == ErrorKind::Busy && error.message().contains("inside a log sink") =>
        {
            REFUSED.fetch_add(1, Ordering::SeqCst)
        }
        _ => OTHER.fetch_add(1, Ordering::SeqCst),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (ended, wait) = mpsc::channel();
    for replaces in [false, false, true, true] {
        let (ended, stop) = (ended.clone(), stop.clone());
        std::thread::spawn(move || {
            while !stop.load(Ordering::SeqCst) {
                if replaces {
                    contrastive::set_log_sink(LogLevel::Debug, move |level, message| {
                        clear(level, message);
                    })
                    .expect("a call outside of the sink is not refused");
                } else {
                    warn();
                }
            }
            ended.send(()).unwrap();
        });
    }
    std::thread::sleep(Duration::from_secs(5));
    stop.store(true, Ordering::SeqCst);
    let late = Instant::now() + Duration::from_secs(30);
    for _ in 0..4 {
        wait.recv_timeout(late.saturating_duration_since(Instant::now()))
            .expect("a thread waits for ever, or has failed");
    }
    contrastive::clear_log_sink().unwrap();
    assert!(REFUSED.load(Ordering::SeqCst) > 0);
    assert_eq!(OTHER.load(Ordering::SeqCst), 0);
}

/// A panic with a payload that panics when it is dropped, with a second payload that does the same.
#[test]
fn a_panic_that_panics_when_it_is_dropped() {
    struct Grenade(usize);
    impl Drop for Grenade {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::SeqCst);
            if self.0 > 0 {
                std::panic::panic_any(Grenade(self.0 - 1));
            }
        }
    }
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    let _alone = alone();
    contrastive::set_log_sink(LogLevel::Debug, |_, _| std::panic::panic_any(Grenade(5))).unwrap();
    warn();
    contrastive::clear_log_sink().unwrap();
    assert!(DROPPED.load(Ordering::SeqCst) > 0, "the payload was not dropped");
    warn(); // and the library is not "inside a log sink"
}
