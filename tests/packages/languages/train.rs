//! One step of training, or why there is none.
use contrastive::{Config, Example, Model, Trainer};

fn train() -> contrastive::Result<()> {
    let model = Model::load("all-MiniLM-L6-v2")?;
    let config = Config::from_json(r#"{"method": "clsr", "batch_size": 2, "max_steps": 1}"#)?;
    let mut trainer = Trainer::new(&model, None, &config)?;
    let _ = trainer.batch(&[
        Example::pair("the cat sat", "a cat sits"),
        Example::pair("a dog runs", "the dog ran"),
    ])?;
    println!("trained {:.0} step", trainer.metric("step").unwrap_or_default());
    Ok(())
}

fn main() {
    if let Err(error) = train() {
        println!("{error}");
    }
}
