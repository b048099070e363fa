//! What a client is started with.

use std::time::Duration;

use halyard::{Builder, Client, StartError};
use napi_derive::napi;

/// In milliseconds, where it is a time. What is absent is as in the Rust SDK.
#[napi(object, object_to_js = false)]
pub struct Options {
    /// The API key of a server.
    pub key: String,
    /// The address of an edge.
    pub url: String,
    /// The file to start from, which is kept up to date.
    pub local_copy: Option<String>,
    /// The environment that what is held has to be of.
    pub environment_id: Option<String>,
    /// The keys of which one has to have signed what is held.
    pub signing_keys: Option<Vec<String>>,
    /// How long a start waits.
    pub start_timeout: Option<f64>,
    /// How often usage is reported.
    pub usage_interval: Option<f64>,
    /// After which a stream without a sign of life is given up.
    pub stream_silence: Option<f64>,
    /// Named to the edge.
    pub application: Option<String>,
}

impl Options {
    /// The builder of the Rust SDK.
    ///
    /// # Errors
    /// When a time is none, or one setting needs another.
    pub(crate) fn builder(self) -> Result<Builder, StartError> {
        let application = format!("node {}", self.application.unwrap_or_default());
        let mut builder = Client::builder(self.key, self.url).application(application.trim_end());
        if let Some(path) = self.local_copy {
            builder = builder.local_copy(path);
        }
        builder = match (self.environment_id, self.signing_keys) {
            (Some(id), Some(keys)) => builder.pin(&id, keys),
            (None, None) => builder,
            (Some(_), None) => return Err(alone("environmentId", "signingKeys")),
            (None, Some(_)) => return Err(alone("signingKeys", "environmentId")),
        };
        if let Some(time) = time("startTimeout", self.start_timeout)? {
            builder = builder.start_timeout(time);
        }
        if let Some(time) = time("usageInterval", self.usage_interval)? {
            builder = builder.usage_interval(time);
        }
        if let Some(time) = time("streamSilence", self.stream_silence)? {
            builder = builder.stream_silence(time);
        }
        Ok(builder)
    }
}

/// A setting that was given without the one that belongs to it.
fn alone(given: &str, missing: &str) -> StartError {
    StartError::Settings(format!("{given} needs {missing} too"))
}

fn time(name: &str, millis: Option<f64>) -> Result<Option<Duration>, StartError> {
    /// Longer than anything runs, and short enough to be added to any time.
    const LONGEST: f64 = 1e12;
    match millis {
        Some(millis) if !(0.0..=LONGEST).contains(&millis) => Err(StartError::Settings(format!(
            "{name} is not a number of milliseconds"
        ))),
        millis => Ok(millis.map(|millis| Duration::from_secs_f64(millis / 1_000.0))),
    }
}
