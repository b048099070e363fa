//! How a client is started.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use protocol::api_key::SERVER_PREFIX;
use reqwest::header::HeaderValue;
use tokio::{runtime::Handle, sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use url::Url;

use crate::{
    client::{Client, Inner},
    copy::{self, CopyError},
    edge::Edge,
    error::StartError,
    frames::Frames,
    held::Held,
    pins::Pins,
    shared::Shared,
    status::{State, Status},
    updater::Updater,
    usage::Reporter,
};

const START: Duration = Duration::from_secs(10);
const USAGE: Duration = Duration::from_mins(1);
const SILENCE: Duration = Duration::from_mins(1);
/// The shortest interval of usage.
const OFTEN: Duration = Duration::from_millis(10);
const LONGEST_NAME: usize = 64;

/// The settings of a client that is about to start.
#[derive(Clone)]
pub struct Builder {
    key: String,
    url: String,
    local_copy: Option<PathBuf>,
    pins: Result<Pins, String>,
    start_timeout: Duration,
    usage_interval: Duration,
    silence: Duration,
    application: String,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut all = f.debug_struct("Builder");
        all.field("url", &self.url).finish_non_exhaustive()
    }
}

impl Builder {
    pub(crate) const fn new(key: String, url: String) -> Self {
        Self {
            key,
            url,
            local_copy: None,
            pins: Ok(Pins::NONE),
            start_timeout: START,
            usage_interval: USAGE,
            silence: SILENCE,
            application: String::new(),
        }
    }

    /// Keeps what is held in a file, and starts from it at once, with or without network. A file is of one environment: have
    /// another one for each.
    #[must_use]
    pub fn local_copy(mut self, path: impl Into<PathBuf>) -> Self {
        self.local_copy = Some(path.into());
        self
    }

    /// Pins an environment and keys: what the edge sends and the local copy has is used only if it is of this environment and one
    /// of these keys signed it; without pins nothing is verified. The id is a UUID, as the API shows it. Each key
    /// is a public key in base64url, the `x` of a JWK, as the control plane lists them at `/.well-known/halyard/signing-keys`.
    /// Others, or none, cannot be used, which the start says.
    #[must_use]
    pub fn pin(
        mut self,
        environment_id: &str,
        signing_keys: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        self.pins = Pins::parse(environment_id, signing_keys);
        self
    }

    /// How long [`start`](Self::start) waits for flags; 10 s.
    #[must_use]
    pub const fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = timeout;
        self
    }

    /// How often usage is reported, give or take a fifth; 60 s.
    #[must_use]
    pub const fn usage_interval(mut self, interval: Duration) -> Self {
        self.usage_interval = interval;
        self
    }

    /// A stream of changes without a sign of life for so long is opened again; 60 s. It has to be longer than the edge's
    /// `SSE_HEARTBEAT`, which is 15 s.
    #[must_use]
    pub const fn stream_silence(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    /// The name of the application, for the logs of proxies; part of the `User-Agent`.
    #[must_use]
    pub fn application(mut self, name: impl Into<String>) -> Self {
        self.application = name.into();
        self
    }

    /// Starts, and waits until there are flags to answer from: at once with a local copy.
    ///
    /// # Errors
    /// When a setting cannot be used, or the edge refuses the key or gives no flags in time. Nothing goes on then.
    pub async fn start(self) -> Result<Client, StartError> {
        let bound = self.start_timeout;
        let client = self.start_without_waiting()?;
        let mut news = client.watch_status();
        let settled = |status: &Status| status.version.is_some() || status.state == State::Refused;
        let waited = timeout(bound, news.wait_for(settled)).await;
        drop(waited);
        let status = client.status();
        if status.version.is_some() {
            return Ok(client);
        }
        let why = status.last_error.as_deref();
        let why = why.unwrap_or("the edge does not answer").to_owned();
        Err(match status.state {
            State::Refused => StartError::Refused(why),
            _ => StartError::Timeout(why),
        })
    }

    /// Starts, and answers with the defaults of the caller until there are flags. The local copy is read by the calling thread:
    /// some milliseconds for thousands of flags.
    ///
    /// # Errors
    /// When a setting cannot be used, or there is no runtime.
    pub fn start_without_waiting(self) -> Result<Client, StartError> {
        let runtime = Handle::try_current().map_err(|_| StartError::Runtime)?;
        let edge = Arc::new(self.edge()?);
        let mut pins = self.pins.clone().map_err(StartError::Settings)?;
        let shared = Arc::new(Shared::new());
        let frames = self.read_copy(&shared, &mut pins);
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let copy = self.local_copy.map(|path| {
            let (sender, news) = watch::channel(None);
            tasks.spawn_on(copy::keep(path, news, stop.clone()), &runtime);
            sender
        });
        let updater = Updater {
            shared: Arc::clone(&shared),
            edge: Arc::clone(&edge),
            silence: self.silence,
            pins,
            frames,
            copy,
        };
        let end = stop.clone();
        let update = async move {
            end.run_until_cancelled(updater.run()).await;
        };
        tasks.spawn_on(update, &runtime);
        let interval = self.usage_interval.max(OFTEN);
        let reporter = Reporter::new(Arc::clone(&shared), edge, interval);
        tasks.spawn_on(reporter.run(stop.clone()), &runtime);
        Ok(Client(Arc::new(Inner {
            shared,
            tasks,
            end: Some(stop.drop_guard()),
        })))
    }

    fn edge(&self) -> Result<Edge, StartError> {
        let settings = |why: &str| StartError::Settings(why.to_owned());
        let url = Url::parse(&self.url).map_err(|_| settings("the edge's address is not a URL"))?;
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() {
            return Err(settings("the edge's address is none of HTTP"));
        }
        if !self.key.is_empty() && !self.key.starts_with(SERVER_PREFIX) {
            return Err(settings("the API key is not one of a server (srv_…)"));
        }
        let mut key = HeaderValue::from_str(&self.key)
            .map_err(|_| settings("the API key has characters that none has"))?;
        key.set_sensitive(true);
        let name = self.application.chars().filter(|c| matches!(c, ' '..='~'));
        let name: String = name.take(LONGEST_NAME).collect();
        let agent = format!("halyard-rust/{} {name}", env!("CARGO_PKG_VERSION"));
        let agent = HeaderValue::from_str(agent.trim_end())
            .map_err(|_| settings("the name of the application cannot be sent"))?;
        Edge::new(url, key, agent).map_err(StartError::Settings)
    }

    /// Holds what the local copy has.
    fn read_copy(&self, shared: &Shared, pins: &mut Pins) -> Option<Frames> {
        let path = self.local_copy.as_deref()?;
        let signed = copy::read(path).and_then(|copy| {
            pins.check(&copy.environment, copy.frames.signature())?;
            Ok(copy)
        });
        match signed {
            Ok(copy) => {
                pins.accept(copy.frames.signature().copied());
                let held = Held::new(copy.environment, Arc::clone(&shared.ledger));
                shared.heard_at_time(copy.written_at);
                shared.hold(Arc::new(held), Vec::new());
                shared.went_stale();
                Some(copy.frames)
            }
            Err(CopyError::Io(why)) if why.kind() == io::ErrorKind::NotFound => None,
            Err(why) => {
                tracing::warn!(path = %path.display(), %why, "the local copy is not used");
                shared.went_wrong(None, &format!("the local copy is not used: {why}"));
                None
            }
        }
    }
}
