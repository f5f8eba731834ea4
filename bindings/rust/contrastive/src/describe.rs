//! Lists the config keys.
use std::collections::BTreeMap;
use std::ptr;

use contrastive_sys as sys;
use serde::Deserialize;
use serde_json::Value;

use crate::error::Result;
use crate::raw;

/// One config key.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Key {
    /// Its dotted name.
    pub key: String,
    /// "number", "choice", ...
    #[serde(rename = "type")]
    pub kind: String,
    /// The default value.
    #[serde(default)]
    pub default: Value,
    /// The allowed range of a number.
    pub range: Option<String>,
    /// The allowed values of a choice.
    #[serde(default)]
    pub values: Vec<String>,
    /// The unit of its value.
    pub unit: Option<String>,
    /// What it does.
    #[serde(default)]
    pub help: String,
    /// The source of the default, such as a section of a paper.
    pub source: Option<String>,
}

/// The config keys of a topic: "model" ([`Model::load_with`](crate::Model::load_with)), "recipe"
/// ([`Model::create`](crate::Model::create)), "vocabulary", "data"
/// ([`Dataset::open_with`](crate::Dataset::open_with)), "train"
/// ([`Trainer::new`](crate::Trainer::new): the keys of all methods), the name of a method ("mnrl"),
/// or of a task ("sts").
pub fn describe(topic: &str) -> Result<Vec<Key>> {
    let topic = raw::name("the topic", topic)?;
    // SAFETY: the string lives during the call.
    crate::json(&raw::text(|error| unsafe { sys::cs_config_describe(topic.as_ptr(), error) })?)
}

/// The config keys of every topic, by topic name.
pub fn describe_all() -> Result<BTreeMap<String, Vec<Key>>> {
    // SAFETY: NULL means all topics.
    crate::json(&raw::text(|error| unsafe { sys::cs_config_describe(ptr::null(), error) })?)
}
