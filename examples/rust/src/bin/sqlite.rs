//! Trains an encoder on the rows of a database query, batch by batch. Only one batch is in memory.
//!
//!     cargo run --release --bin sqlite -- \
//!         MODEL tickets.db "SELECT question, answer FROM tickets" OUTPUT [PASSES]
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

use contrastive::{Config, Example, Model, Trainer};
use rusqlite::{Connection, OpenFlags};

struct Job {
    model: PathBuf,
    database: PathBuf,
    query: String,
    output: PathBuf,
    batch: usize,
    passes: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, database, query, output, passes @ ..] = arguments.as_slice() else {
        return Err("usage: sqlite MODEL DATABASE QUERY OUTPUT [PASSES]".into());
    };
    let passes = passes.first().map_or(Ok(1), |passes| passes.parse())?;
    let job = Job {
        model: model.into(),
        database: database.into(),
        query: query.clone(),
        output: output.into(),
        batch: 32,
        passes,
    };
    train(&job, &mut std::io::stdout())
}

fn train(job: &Job, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let database =
        Connection::open_with_flags(Path::new(&job.database), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let rows: i64 =
        database
            .query_row(&format!("SELECT count(*) FROM ({})", job.query), [], |row| row.get(0))?;
    let mut config = Config::from_json(
        r#"{"method": "clsr", "clsr.encoder_init": "residual", "clsr.temperature": 0.05,
            "clsr.projection": "none", "optimizer": "adamw", "lr": 0.001}"#,
    )?;
    // An incomplete last batch is left out, because it has fewer negatives.
    config.set("max_steps", rows as usize / job.batch * job.passes)?;
    let mut trainer = Trainer::new(&Model::load(&job.model)?, None, &config)?;
    for _ in 0..job.passes {
        pass(job, &database, &mut trainer, out)?;
    }
    trainer.save(&job.output)?;
    Ok(())
}

/// Trains once on every row.
fn pass(
    job: &Job,
    database: &Connection,
    trainer: &mut Trainer,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let mut query = database.prepare(&job.query)?;
    let mut cursor = query.query([])?;
    let mut batch: Vec<Example> = Vec::with_capacity(job.batch);
    while let Some(row) = cursor.next()? {
        batch.push((row.get::<_, String>(0)?, row.get::<_, String>(1)?).into());
        if batch.len() == job.batch {
            let _ = trainer.batch(&batch)?;
            batch.clear();
            let metric = |name| trainer.metric(name).unwrap_or(f64::NAN);
            write!(
                out,
                "\rstep {} of {}, loss {:.4}",
                metric("step"),
                metric("total_steps"),
                metric("loss")
            )?;
            out.flush()?;
        }
    }
    writeln!(out)?;
    Ok(())
}

#[cfg(test)]
#[path = "../corpus.rs"]
mod corpus;

#[test]
fn a_cursor_trains() {
    let folder = tempfile::tempdir().unwrap();
    let query = "SELECT question, answer FROM tickets".to_string();
    let (database, output) = (folder.path().join("tickets.db"), folder.path().join("model"));
    let job = Job { model: corpus::model(), database, query, output, batch: 16, passes: 10 };
    let tickets = Connection::open(&job.database).unwrap();
    tickets.execute("CREATE TABLE tickets (question TEXT, answer TEXT)", []).unwrap();
    for (question, answer) in corpus::pairs() {
        tickets.execute("INSERT INTO tickets VALUES (?, ?)", [question, answer]).unwrap();
    }
    let mut out = Vec::new();
    train(&job, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(
        out.contains("step 40 of 40, loss"),
        "64 rows in batches of 16, ten times, are 40 steps: {out}"
    );
    let losses: Vec<f64> =
        out.split("loss ").skip(1).map(|rest| rest[..6].parse().unwrap()).collect();
    assert!(losses[36] < losses[0] / 2.0, "the same rows, nine passes later: {out}");
    Model::load(&job.output).unwrap().encode_text("a text").unwrap();
    assert_eq!(contrastive::live_handles(), 0);
}
