//! Keeps what is held up to date: opens the stream of changes, applies them, and fetches the whole where they do not fit.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use data_encoding::BASE64;
use protocol::{
    delta::ApplyError,
    eval::Environment,
    wire::{
        frame::{FrameHeader, PUSH_LIMIT},
        merge::{self, Damaged},
        message::Push,
    },
};
use serde::Deserialize;
use tokio::{
    sync::watch,
    task::spawn_blocking,
    time::{Instant, sleep, timeout},
};

use crate::{
    backoff::{self, Backoff},
    changes,
    edge::{self, Edge, Failure},
    frames::{self, Frames},
    held::Held,
    shared::Shared,
    sse::{Event, Parser},
};

/// The most bytes of the data of an event: the longest frame as base64.
const EVENT_LIMIT: usize = (PUSH_LIMIT + FrameHeader::LENGTH).div_ceil(3) * 4;
/// A whole environment is fetched within this time after it is known that it has to be: all clients know at once.
const SPREAD: Duration = Duration::from_millis(500);
/// A stream that was open for so long was well.
const WELL: Duration = Duration::from_secs(10);

/// Keeps what is held up to date.
pub(crate) struct Updater {
    pub(crate) shared: Arc<Shared>,
    pub(crate) edge: Arc<Edge>,
    /// A stream without a byte for so long is given up.
    pub(crate) silence: Duration,
    /// What is held as it came, if it is kept in a file.
    pub(crate) frames: Option<Frames>,
    pub(crate) copy: Option<watch::Sender<Option<Frames>>>,
}

/// What the data of `at` and `refetch` says.
#[derive(Deserialize)]
struct At {
    tag: String,
}

impl Updater {
    /// Goes on until it is given up.
    pub(crate) async fn run(mut self) {
        let mut backoff = Backoff::default();
        let mut was_refused = false;
        loop {
            let opened = Instant::now();
            let failure = self.follow().await;
            if opened.elapsed() > WELL {
                backoff.reset();
            }
            let wait = if let Failure::Refused(why) = &failure {
                self.shared.is_refused(why);
                if !was_refused {
                    tracing::error!(%why, "the API key is refused: flags stay as they are");
                }
                backoff::refused()
            } else {
                let why = failure.to_string();
                self.shared.is_stale(&why);
                tracing::warn!(%why, "there is no stream of changes now: flags stay as they are");
                match failure {
                    Failure::Unavailable { retry_after, .. } => backoff.next_after(retry_after),
                    Failure::Refused(_) | Failure::Unacceptable(_) => backoff.next(),
                }
            };
            was_refused = matches!(failure, Failure::Refused(_));
            sleep(wait).await;
        }
    }

    /// Opens the stream and follows it; why it ended.
    async fn follow(&mut self) -> Failure {
        match self.try_follow().await {
            Ok(()) => Failure::unavailable("the stream ended"),
            Err(failure) => failure,
        }
    }

    async fn try_follow(&mut self) -> Result<(), Failure> {
        let mut stream = self.edge.stream().await?;
        self.shared.heard();
        let mut parser = Parser::new(EVENT_LIMIT);
        let mut misfits = 0;
        loop {
            let part = timeout(self.silence, stream.chunk()).await;
            let part = part.map_err(|_| Failure::unavailable("the stream is silent"))?;
            let Some(part) = part.map_err(edge::cut)? else {
                return Ok(());
            };
            self.shared.heard();
            let mut events = Vec::new();
            parser
                .feed(&part, |event| events.push(event))
                .map_err(|why| Failure::unavailable(why.to_string()))?;
            for event in events {
                if self.take(event).await? {
                    misfits = 0;
                    continue;
                }
                misfits += 1;
                if misfits > 1 {
                    return Err(Failure::unavailable(
                        "changes do not fit what the edge serves",
                    ));
                }
                sleep(backoff::between(Duration::ZERO, SPREAD)).await;
                self.fetch().await?;
            }
        }
    }

    /// Takes an event; false if the whole has to be fetched, which nobody expected.
    async fn take(&mut self, event: Event) -> Result<bool, Failure> {
        match &*event.name {
            "delta" => return self.take_delta(event.data.as_bytes()),
            "at" | "refetch" => {
                let told: At = serde_json::from_str(&event.data)
                    .map_err(|_| Failure::unavailable("an event of the stream is damaged"))?;
                let held = self.shared.held.load_full();
                if held.as_ref().is_some_and(|held| held.tag == told.tag) {
                    self.shared.is_current();
                    return Ok(true);
                }
                if held.is_some() {
                    sleep(backoff::between(Duration::ZERO, SPREAD)).await;
                }
                self.fetch().await?;
            }
            // What later versions send besides.
            _ => {}
        }
        Ok(true)
    }

    fn take_delta(&mut self, data: &[u8]) -> Result<bool, Failure> {
        let damaged = || Failure::unavailable("a change is damaged");
        let frame = Bytes::from(BASE64.decode(data).map_err(|_| damaged())?);
        let Ok(Push::Delta(delta)) = merge::read(&frame) else {
            return Err(damaged());
        };
        let Some(held) = self.shared.held.load_full() else {
            return Ok(false);
        };
        if delta.head.version <= held.version()
            && delta.head.env_id == held.environment.head().env_id
        {
            return Ok(true);
        }
        let environment = match held.environment.apply(&delta) {
            Ok(environment) => environment,
            Err(why) => {
                tracing::debug!(%why, "a change does not fit");
                if !matches!(why, ApplyError::Base { .. }) {
                    self.shared.went_wrong(None, &why.to_string());
                }
                return Ok(false);
            }
        };
        if let Some(frames) = &mut self.frames {
            frames.push(frame);
        }
        let changed = changes::of_delta(&environment, &delta);
        self.hold(environment, changed);
        Ok(true)
    }

    /// Fetches the whole environment.
    async fn fetch(&mut self) -> Result<(), Failure> {
        let frame = self.edge.snapshot().await?;
        let keeps = self.copy.is_some().then(|| Frames::new(frame.clone()));
        let held = self.shared.held.load_full();
        // It takes a while for many flags.
        let prepared = spawn_blocking(move || {
            let environment = frames::prepare(&merge::read(&frame)?)?;
            let older = held.as_ref().map(|held| &held.environment);
            let changed = changes::between(older, &environment);
            Ok((environment, changed))
        });
        let prepared = prepared
            .await
            .map_err(|why| Failure::unavailable(why.to_string()))?;
        let (environment, changed) = prepared.map_err(|damaged: Damaged| {
            Failure::unavailable(format!("what the edge sent is {damaged}"))
        })?;
        self.frames = keeps;
        let held = self.shared.held.load_full();
        let tag = protocol::wire::sdk::tag(environment.head().version, environment.digest());
        if held.is_none_or(|held| held.tag != tag) {
            self.hold(environment, changed);
        }
        self.shared.is_current();
        Ok(())
    }

    fn hold(&mut self, environment: Environment, changed: Vec<String>) {
        let held = Held::new(environment, Arc::clone(&self.shared.ledger));
        self.shared.hold(Arc::new(held), changed);
        self.keep();
    }

    /// Hands what is held over to be written.
    fn keep(&mut self) {
        let (Some(frames), Some(copy)) = (&mut self.frames, &self.copy) else {
            return;
        };
        if frames.are_many() {
            match frames.as_one() {
                Ok(one) => *frames = one,
                Err(why) => tracing::debug!(%why, "changes stay apart in the local copy"),
            }
        }
        copy.send_replace(Some(frames.clone()));
    }
}
