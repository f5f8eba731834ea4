//! Configs: dotted keys with values.
use std::ptr::{self, NonNull};

use contrastive_sys as sys;
use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::raw;

/// The options of a method, optimizer, task or model: dotted keys with values.
/// [`describe`](crate::describe()) lists the keys. Values are checked when the config is used. The
/// error for a misspelt key suggests the nearest one. Keys that begin with "x-" are reserved for
/// you.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// use contrastive::Config;
/// #[derive(serde::Serialize)]
/// struct Run { method: &'static str, lr: f64 }
///
/// // An object of serde_json::json! works as well.
/// let mut config = Config::from_serialize(&Run { method: "mnrl", lr: 1e-3 })?;
/// config.set("mnrl.scale", 20.0)?.set("max_steps", 100)?;
/// assert_eq!(config.to_value()?["mnrl.scale"], 20.0);
/// # Ok(()) }
/// ```
pub struct Config {
    handle: NonNull<sys::cs_config>,
}

// SAFETY: a handle may go to another thread; one thread at a time uses it, since it is not Sync.
unsafe impl Send for Config {}

impl Config {
    /// Creates an empty config.
    pub fn new() -> Result<Self> {
        // SAFETY: NULL stands for an empty config.
        raw::create(|error| unsafe { sys::cs_config_parse(ptr::null(), error) })
            .map(|handle| Self { handle })
    }

    /// Reads a config from a JSON object. Nested objects and dotted keys are equivalent.
    pub fn from_json(json: &str) -> Result<Self> {
        let json = raw::name("the JSON text", json)?;
        // SAFETY: a string that ends in NUL and lives during the call.
        raw::create(|error| unsafe { sys::cs_config_parse(json.as_ptr(), error) })
            .map(|handle| Self { handle })
    }

    /// Creates a config from anything that serde serializes as an object: your struct, a map,
    /// `serde_json::json!`.
    pub fn from_serialize(object: &impl Serialize) -> Result<Self> {
        let json = serde_json::to_string(object)
            .map_err(|error| Error::caused(crate::ErrorKind::Argument, "a config", error))?;
        Self::from_json(&json)
    }

    /// Sets one key to anything that serde serializes: a number, a string, a list. A string stays a
    /// string, and the entries of a map or struct become keys below this one. Keys are checked when
    /// the config is used.
    pub fn set(&mut self, key: &str, value: impl Serialize) -> Result<&mut Self> {
        let value = serde_json::to_value(value)
            .map_err(|error| Error::caused(crate::ErrorKind::Argument, key, error))?;
        if value.is_null() {
            return Err(Error::argument(format!(
                "config key '{key}' needs a value: None, NaN and infinity are not allowed"
            )));
        }
        let one = Self::from_json(
            &Value::Object([(key.to_string(), value)].into_iter().collect()).to_string(),
        )?;
        self.merge(&one)
    }

    /// A copy of a config, or an empty one, with the kind of model that the caller loads: "encoder"
    /// or "reranker".
    pub(crate) fn of_kind(kind: &str, config: Option<&Config>) -> Result<Self> {
        let mut own = Self::new()?;
        if let Some(config) = config {
            own.merge(config)?;
        }
        own.set("kind", kind)?;
        Ok(own)
    }

    /// Adds the entries of `other` to this config. They replace entries with the same keys.
    pub fn merge(&mut self, other: &Config) -> Result<&mut Self> {
        // SAFETY: both handles live, and are not the same, since one is borrowed for writing.
        raw::check(|error| unsafe {
            sys::cs_config_merge(self.handle.as_ptr(), other.handle.as_ptr(), error)
        })?;
        Ok(self)
    }

    /// The config as one flat JSON object with sorted keys.
    pub fn to_json(&self) -> Result<String> {
        // SAFETY: the handle lives.
        raw::text(|error| unsafe { sys::cs_config_to_json(self.handle.as_ptr(), error) })
    }

    /// The config as a parsed JSON object.
    pub fn to_value(&self) -> Result<Value> {
        crate::json(&self.to_json()?)
    }

    /// The handle of an optional config; NULL if there is none.
    pub(crate) fn pointer(config: Option<&Self>) -> *const sys::cs_config {
        config.map_or(ptr::null(), |config| config.handle.as_ptr().cast_const())
    }
}

#[cfg(feature = "serde")]
impl Serialize for Config {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().map_err(serde::ser::Error::custom)?.serialize(to)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Config {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        Self::from_json(&value.to_string()).map_err(serde::de::Error::custom)
    }
}

impl Drop for Config {
    fn drop(&mut self) {
        // SAFETY: made by this type, freed once.
        unsafe { sys::cs_config_free(self.handle.as_ptr()) }
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_json().unwrap_or_default())
    }
}
