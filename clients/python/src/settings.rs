//! What a client is started with.

use std::{path::PathBuf, time::Duration};

use halyard::Builder;
use pyo3::prelude::*;

use crate::errors::SettingsError;

/// As Python gives them; times are seconds.
pub(crate) struct Settings {
    pub(crate) server_key: String,
    pub(crate) edge_url: String,
    pub(crate) local_copy: Option<PathBuf>,
    pub(crate) environment_id: Option<String>,
    pub(crate) signing_keys: Option<Vec<String>>,
    pub(crate) start_timeout: f64,
    pub(crate) usage_interval: f64,
    pub(crate) stream_silence: f64,
    pub(crate) application: String,
}

impl Settings {
    /// For the Rust SDK.
    pub(crate) fn builder(self) -> PyResult<Builder> {
        let agent = concat!("halyard-python/", env!("CARGO_PKG_VERSION"));
        let builder = halyard::Client::builder(self.server_key, self.edge_url)
            .start_timeout(seconds("start_timeout", self.start_timeout)?)
            .usage_interval(seconds("usage_interval", self.usage_interval)?)
            .stream_silence(seconds("stream_silence", self.stream_silence)?)
            .application(format!("{agent} {}", self.application));
        let builder = match (self.environment_id, self.signing_keys) {
            (Some(id), Some(keys)) => builder.pin(&id, keys),
            (None, None) => builder,
            (Some(_), None) => return Err(alone("environment_id", "signing_keys")),
            (None, Some(_)) => return Err(alone("signing_keys", "environment_id")),
        };
        Ok(match self.local_copy {
            Some(path) => builder.local_copy(path),
            None => builder,
        })
    }
}

/// A setting that was given without the one that belongs to it.
fn alone(given: &str, missing: &str) -> PyErr {
    SettingsError::new_err(format!("{given} needs {missing} too"))
}

/// A time of a setting.
pub(crate) fn seconds(name: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|why| SettingsError::new_err(format!("{name} is no number of seconds: {why}")))
}
