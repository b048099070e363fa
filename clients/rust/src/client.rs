//! The client: what applications ask.

use std::{path::Path, sync::Arc, time::Duration};

use protocol::{reason::Reason, snapshot::Snapshot, wire::sdk};
use serde_json::Value;
use tokio::{sync::watch, time::timeout};
use tokio_util::{sync::DropGuard, task::TaskTracker};

use crate::{
    builder::Builder,
    changes::Changes,
    context::Context,
    copy,
    detail::{Detail, ErrorKind},
    error::{FileError, SnapshotError},
    frames,
    held::{Asked, Held},
    shared::Shared,
    status::Status,
};

/// How long closing may take beyond the last report.
const CLOSE: Duration = Duration::from_secs(7);

/// Answers for flags from memory. A clone is another handle of the same client; when the last one is dropped, its background tasks
/// end.
///
/// # After a fork
/// Of a process that forks only the thread that does goes on, so the background tasks are not there in the child: a client
/// goes on answering from memory with what it held, is not updated any more and reports nothing, and [`status`](Self::status) says
/// so. Start a client after the fork.
#[derive(Clone, Debug)]
pub struct Client(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) shared: Arc<Shared>,
    pub(crate) tasks: TaskTracker,
    /// Ends the tasks; absent without any.
    pub(crate) end: Option<DropGuard>,
}

impl Client {
    /// Begins a client of an edge: the address may have a path, under which the edge is. The key is one of a server.
    #[must_use]
    pub fn builder(server_key: impl Into<String>, edge_url: impl Into<String>) -> Builder {
        Builder::new(server_key.into(), edge_url.into())
    }

    /// A client without network that answers from a file, as [`Builder::local_copy`] writes it. Nothing is reported.
    ///
    /// # Errors
    /// When there is no such file, or it is damaged.
    pub fn from_snapshot_file(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let copy = copy::read(path).map_err(|why| FileError::new(path, &why))?;
        let client = Self::offline();
        client.0.shared.heard_at_time(copy.written_at);
        client.hold(copy.environment);
        Ok(client)
    }

    /// A client without network that answers from an environment. Nothing is reported.
    ///
    /// # Errors
    /// When the contents are none that an environment can have.
    pub fn from_snapshot(snapshot: Snapshot) -> Result<Self, SnapshotError> {
        let environment = frames::prepare(&sdk::snapshot(snapshot))?;
        let client = Self::offline();
        client.hold(environment);
        Ok(client)
    }

    fn offline() -> Self {
        Self(Arc::new(Inner {
            shared: Arc::new(Shared::new()),
            tasks: TaskTracker::new(),
            end: None,
        }))
    }

    fn hold(&self, environment: protocol::eval::Environment) {
        let shared = &self.0.shared;
        let held = Held::new(environment, Arc::clone(&shared.ledger));
        shared.hold(Arc::new(held), Vec::new());
        shared.is_current();
    }

    /// The value of a boolean flag. It takes no lock, does not allocate and never waits.
    #[must_use]
    #[inline]
    pub fn bool(&self, key: &str, context: &Context, default: bool) -> bool {
        self.ask(key, context, |asked| asked.bool())
            .unwrap_or(default)
    }

    /// The value of a flag that is a number.
    #[must_use]
    pub fn number(&self, key: &str, context: &Context, default: f64) -> f64 {
        self.ask(key, context, |asked| asked.number())
            .unwrap_or(default)
    }

    /// The value of a flag that is a whole number.
    #[must_use]
    pub fn int(&self, key: &str, context: &Context, default: i64) -> i64 {
        self.ask(key, context, |asked| asked.int())
            .unwrap_or(default)
    }

    /// The value of a flag that is a text. The text is shared, not copied.
    #[must_use]
    pub fn string(&self, key: &str, context: &Context, default: impl Into<Arc<str>>) -> Arc<str> {
        let answer = self.ask(key, context, |asked| asked.string());
        answer.unwrap_or_else(|_| default.into())
    }

    /// The value of any flag as JSON. The value is shared, not copied.
    #[must_use]
    pub fn json(&self, key: &str, context: &Context, default: impl Into<Arc<Value>>) -> Arc<Value> {
        let answer = self.ask(key, context, |asked| asked.json());
        answer.unwrap_or_else(|_| default.into())
    }

    /// [`bool`](Self::bool), and why.
    #[must_use]
    pub fn bool_detail(&self, key: &str, context: &Context, default: bool) -> Detail<bool> {
        self.detail(key, context, default, |asked| asked.bool())
    }

    /// [`number`](Self::number), and why.
    #[must_use]
    pub fn number_detail(&self, key: &str, context: &Context, default: f64) -> Detail<f64> {
        self.detail(key, context, default, |asked| asked.number())
    }

    /// [`int`](Self::int), and why.
    #[must_use]
    pub fn int_detail(&self, key: &str, context: &Context, default: i64) -> Detail<i64> {
        self.detail(key, context, default, |asked| asked.int())
    }

    /// [`string`](Self::string), and why.
    #[must_use]
    pub fn string_detail(
        &self,
        key: &str,
        context: &Context,
        default: impl Into<Arc<str>>,
    ) -> Detail<Arc<str>> {
        self.detail(key, context, default, |asked| asked.string())
    }

    /// [`json`](Self::json), and why.
    #[must_use]
    pub fn json_detail(
        &self,
        key: &str,
        context: &Context,
        default: impl Into<Arc<Value>>,
    ) -> Detail<Arc<Value>> {
        self.detail(key, context, default, |asked| asked.json())
    }

    /// Tells that a variant of a flag was shown to a user; it is reported with the next usage. Up to 10,000 wait, of which the oldest
    /// give way.
    pub fn track(&self, flag_key: &str, variant_key: &str, user_key: &str) {
        if self.0.end.is_some() && !self.0.shared.has_forked() {
            self.0.shared.ledger.track(flag_key, variant_key, user_key);
        }
    }

    /// How many calls of [`track`](Self::track) are lost, because too many waited or a key was longer than 2,048 bytes.
    #[must_use]
    pub fn tracks_dropped(&self) -> u64 {
        self.0.shared.ledger.dropped()
    }

    /// News of changed flags, from now on.
    #[must_use]
    pub fn subscribe(&self) -> Changes {
        Changes {
            news: self.0.shared.changes.subscribe(),
            shared: Arc::downgrade(&self.0.shared),
        }
    }

    /// How the client is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.shared.status_now()
    }

    /// The same, to be waited on.
    #[must_use]
    pub fn watch_status(&self) -> watch::Receiver<Status> {
        self.0.shared.status.subscribe()
    }

    /// The keys of all flags, sorted; empty while nothing is held.
    #[must_use]
    pub fn flag_keys(&self) -> Vec<String> {
        let held = self.0.shared.held.load();
        let flags = held.iter().flat_map(|held| held.environment.flags());
        flags.map(|(_, key)| key.to_owned()).collect()
    }

    /// Ends the background tasks, after a last report of what was counted if the edge takes it within five seconds. Answers are
    /// given as before.
    pub async fn close(&self) {
        let inner = &self.0;
        if inner.shared.has_forked() {
            return;
        }
        inner
            .end
            .as_ref()
            .map(DropGuard::token)
            .inspect(|end| end.cancel());
        inner.tasks.close();
        if timeout(CLOSE, inner.tasks.wait()).await.is_err() {
            tracing::warn!("the client did not end in time");
        }
    }

    #[inline]
    fn ask<T>(
        &self,
        key: &str,
        context: &Context,
        read: impl FnOnce(&Asked<'_>) -> Option<T>,
    ) -> Result<T, ErrorKind> {
        let held = self.0.shared.held.load();
        let held = held.as_ref().ok_or(ErrorKind::ProviderNotReady)?;
        let answer = held.ask(key, context, read)?;
        answer.ok_or(ErrorKind::TypeMismatch)
    }

    fn detail<T>(
        &self,
        key: &str,
        context: &Context,
        default: impl Into<T>,
        read: impl FnOnce(&Asked<'_>) -> Option<T>,
    ) -> Detail<T> {
        let held = self.0.shared.held.load();
        let without = |error: ErrorKind, version| Detail {
            value: default.into(),
            reason: error.reason(),
            variant: None,
            version,
            error: Some(error),
        };
        let Some(held) = held.as_ref() else {
            return without(ErrorKind::ProviderNotReady, None);
        };
        let version = Some(held.version());
        let answer = held.ask(key, context, |asked| {
            let (reason, variant) = (asked.evaluation.reason, asked.evaluation.variant_key());
            Some(Detail {
                value: read(asked)?,
                reason,
                variant: (reason == Reason::Variant).then(|| variant.to_owned()),
                version,
                error: (reason == Reason::Error).then_some(ErrorKind::General),
            })
        });
        match answer {
            Ok(Some(detail)) => detail,
            Ok(None) => without(ErrorKind::TypeMismatch, version),
            Err(error) => without(error, version),
        }
    }
}
