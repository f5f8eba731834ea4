//! Trains an encoder on pairs of texts that belong together, and measures the gain on pairs that it
//! was not trained on.
//!
//!     cargo run --release --bin retrain -- MODEL pairs.tsv held-out.tsv OUTPUT [STEPS]
//!
//! Ctrl-C finishes the running step and saves. The same command then resumes from OUTPUT.
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contrastive::{Cancel, Config, Dataset, ErrorKind, Model, Trainer};

struct Job {
    model: PathBuf,
    train: PathBuf,
    test: PathBuf,
    output: PathBuf,
    steps: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, train, test, output, steps @ ..] = arguments.as_slice() else {
        return Err("usage: retrain MODEL PAIRS HELD_OUT OUTPUT [STEPS]".into());
    };
    let steps = steps.first().map_or(Ok(100), |steps| steps.parse())?;
    let job = Job {
        model: model.into(),
        train: train.into(),
        test: test.into(),
        output: output.into(),
        steps,
    };
    let cancel = Arc::new(Cancel::new()?);
    let flag = Arc::clone(&cancel);
    ctrlc::set_handler(move || flag.trigger())?;
    retrain(&job, &cancel, &mut std::io::stdout())
}

fn retrain(job: &Job, cancel: &Cancel, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let model = Model::load(&job.model)?;
    let data = Dataset::open(&job.train)?;
    let mut trainer = begin(job, &model, &data)?;
    measure("before", &model, &job.test, out)?;
    for progress in trainer.run_with(cancel) {
        match progress {
            Ok(now) if now.step % 20 == 0 || Some(now.step) == now.total => {
                writeln!(out, "step {} of {}, loss {:.4}", now.step, job.steps, now.loss)?;
            }
            Ok(_) => (),
            Err(error) if error.kind() == ErrorKind::Cancelled => break,
            Err(error) => return Err(error.into()),
        }
    }
    trainer.save(&job.output)?; // with the state that resuming needs
    let step = trainer.metric("step").unwrap_or(0.0);
    if (step as u64) < job.steps {
        return Err(format!(
            "stopped at step {step}; the same command goes on from {}",
            job.output.display()
        )
        .into());
    }
    measure("after", &Model::load(&job.output)?, &job.test, out)
}

fn begin(job: &Job, model: &Model, data: &Dataset) -> contrastive::Result<Trainer> {
    if job.output.exists() {
        return Trainer::resume(&job.output, model, data, None);
    }
    let mut config = Config::from_json(
        r#"{"method": "clsr", "clsr.encoder_init": "residual", "clsr.temperature": 0.05,
            "clsr.projection": "none", "epochs": 1000000, "batch_size": 16, "optimizer": "adamw",
            "lr": 0.001, "warmup_ratio": 0.1}"#,
    )?;
    config.set("max_steps", job.steps)?;
    Trainer::new(model, data, &config)
}

/// Prints how well the first text of a pair finds the second.
fn measure(
    when: &str,
    model: &Model,
    test: &Path,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let mut config = Config::new()?;
    config.set("data", test)?;
    let report = model.evaluate("retrieval", &config)?;
    let number = |name| report.number(&[name]).unwrap_or(f64::NAN);
    writeln!(out, "{when:<6} recall@1 {:.3}, MRR@10 {:.3}", number("recall@1"), number("mrr@10"))?;
    Ok(())
}

#[cfg(test)]
#[path = "../corpus.rs"]
mod corpus;

#[test]
fn a_stopped_run_goes_on_and_gains() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let pairs = corpus::pairs();
    std::fs::write(at("train.tsv"), corpus::lines(&pairs[..48])).unwrap();
    std::fs::write(at("test.tsv"), corpus::lines(&pairs[48..])).unwrap();
    let job = Job {
        model: corpus::model(),
        train: at("train.tsv"),
        test: at("test.tsv"),
        output: at("model"),
        steps: 60,
    };
    let (raised, cancel) = (Cancel::new().unwrap(), Cancel::new().unwrap());
    raised.trigger();
    let stopped = retrain(&job, &raised, &mut std::io::sink()).unwrap_err().to_string();
    assert!(stopped.contains("stopped at step 0"), "{stopped}");
    let mut out = Vec::new();
    retrain(&job, &cancel, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let ranks: Vec<f64> =
        out.split("MRR@10 ").skip(1).map(|rest| rest[..5].parse().unwrap()).collect();
    assert!(ranks.len() == 2 && ranks[1] > ranks[0], "{out}");
    assert_eq!(contrastive::live_handles(), 2, "the two flags");
}
