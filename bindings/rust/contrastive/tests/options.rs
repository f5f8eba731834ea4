//! Tests of the typed options.
mod common;

use common::{config, fails, load, pairs};
use contrastive::{
    describe, AdaptOptions, ErrorKind, LearningRateSchedule, MixedPrecision, SearchMetric,
    TrainOptions, Trainer, TrainingMethod, TrainingOptimizer,
};

#[test]
fn typed_options_are_the_same_as_keys() {
    let options = TrainOptions::new()
        .seed(7)
        .learning_rate(2e-5)
        .schedule(LearningRateSchedule::WarmupLinear)
        .optimizer(TrainingOptimizer::AdamwHf)
        .mixed_precision(MixedPrecision::Off)
        .max_steps(0)
        .gradient_checkpointing(false)
        .max_length(64)
        .matryoshka_dims([384, 128])
        .dev("dev.tsv");
    let expected = config(
        r#"{"method": "mnrl", "seed": 7, "lr": 2e-5, "schedule": "warmup-linear", "amp": "off",
            "optimizer": "adamw-hf", "max_steps": 0, "gradient_checkpointing": false,
            "mnrl.max_length": 64, "matryoshka.dims": [384, 128], "dev": "dev.tsv"}"#,
    );
    assert_eq!(options.to_config().unwrap().to_json().unwrap(), expected.to_json().unwrap());
    let other = options.method(TrainingMethod::Simcse).temperature(0.05).to_config().unwrap();
    let other = other.to_value().unwrap();
    assert_eq!(
        (&other["simcse.max_length"], &other["simcse.temperature"]),
        (&64.into(), &0.05.into())
    );
    let adapt = AdaptOptions::new().metric(SearchMetric::NdcgAt10).num_negatives(2);
    assert_eq!(
        adapt.to_config().unwrap().to_json().unwrap(),
        config(r#"{"method": "mnrl", "metric": "ndcg@10", "mining.num_negatives": 2}"#)
            .to_json()
            .unwrap()
    );
    fails(TrainOptions::new().learning_rate(f64::NAN).to_config(), ErrorKind::Argument, "'lr'");
}

#[test]
fn the_keys_exist_and_a_run_takes_them() {
    let options = TrainOptions::new().max_steps(2).batch_size(4).epochs(1).learning_rate(1e-4);
    let keys = options.to_config().unwrap();
    let known = describe("train").unwrap();
    let own = keys.to_value().unwrap();
    for key in own.as_object().unwrap().keys() {
        assert!(known.iter().any(|row| row.key == *key), "{key}");
    }
    let mut trainer = Trainer::new(&load(), &pairs(), &keys).unwrap();
    assert_eq!(trainer.run().count(), 2);
    assert_eq!(trainer.config().unwrap()["lr"], 1e-4);
}
