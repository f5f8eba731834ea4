//! Which config keys there are.
use std::collections::BTreeMap;
use std::ptr;

use contrastive_sys as sys;
use serde::Deserialize;
use serde_json::Value;

use crate::error::Result;
use crate::raw;

/// One config key.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Key {
    /// Its dotted name.
    pub key: String,
    /// "number", "choice", ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Its value where none is given.
    #[serde(default)]
    pub default: Value,
    /// What a number allows.
    pub range: Option<String>,
    /// What a choice allows.
    #[serde(default)]
    pub values: Vec<String>,
    /// What it counts in.
    pub unit: Option<String>,
    /// What it does.
    #[serde(default)]
    pub help: String,
    /// Where the default comes from, such as a section of a paper.
    pub source: Option<String>,
}

/// The config keys of a topic: "model" ([`Model::load_with`](crate::Model::load_with)), "recipe"
/// ([`Model::create`](crate::Model::create)), "vocabulary", "data"
/// ([`Dataset::open_with`](crate::Dataset::open_with)), "train"
/// ([`Trainer::new`](crate::Trainer::new): the keys of all methods), the name of a method ("clsr"),
/// or of a task ("sts").
pub fn describe(topic: &str) -> Result<Vec<Key>> {
    let topic = raw::name("the topic", topic)?;
    // SAFETY: the string lives during the call.
    crate::json(&raw::text(|error| unsafe { sys::cs_config_describe(topic.as_ptr(), error) })?)
}

/// The keys of every topic.
pub fn describe_all() -> Result<BTreeMap<String, Vec<Key>>> {
    // SAFETY: NULL stands for all topics.
    crate::json(&raw::text(|error| unsafe { sys::cs_config_describe(ptr::null(), error) })?)
}
