//! Keeps what is held up to date: opens the stream of changes, applies them, and fetches the whole where they do not fit.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use data_encoding::BASE64;
use protocol::{
    delta::ApplyError,
    eval::Environment,
    wire::{
        codec,
        merge::{self, Damaged},
        message::Push,
        signed,
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
    pins::Pins,
    shared::Shared,
    sse::{Event, Parser},
    status::State,
};

/// The most bytes of the data of an event: the longest frame with its signature as base64.
const EVENT_LIMIT: usize = signed::LONGEST.div_ceil(3) * 4;
/// A whole environment is fetched within this time after it is known that it has to be: all clients know at once.
const SPREAD: Duration = Duration::from_millis(500);
/// A stream that was open for so long was well.
const WELL: Duration = Duration::from_secs(10);
/// Why what is held may be old although the edge answers.
const UNPROVEN: &str = "nothing proves that what the edge serves is current";
/// Why the whole is fetched where a change begins elsewhere.
const MISFIT: &str = "changes do not fit what the edge serves";

/// Keeps what is held up to date.
pub(crate) struct Updater {
    pub(crate) shared: Arc<Shared>,
    pub(crate) edge: Arc<Edge>,
    /// A stream without a byte for so long is given up.
    pub(crate) silence: Duration,
    pub(crate) pins: Pins,
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
            if self.shared.status.borrow().state == State::Ready {
                self.judge();
            }
            let mut events = Vec::new();
            parser
                .feed(&part, |event| events.push(event))
                .map_err(|why| Failure::unavailable(why.to_string()))?;
            for event in events {
                let Some(why) = self.take(event).await? else {
                    misfits = 0;
                    continue;
                };
                misfits += 1;
                if misfits > 1 {
                    return Err(Failure::unavailable(why));
                }
                sleep(backoff::between(Duration::ZERO, SPREAD)).await;
                self.fetch().await?;
            }
        }
    }

    /// Takes an event; if the whole has to be fetched, which nobody expected, why.
    async fn take(&mut self, event: Event) -> Result<Option<String>, Failure> {
        match &*event.name {
            "delta" => return self.take_delta(event.data.as_bytes()),
            "at" | "refetch" => {
                let told: At = serde_json::from_str(&event.data)
                    .map_err(|_| Failure::unavailable("an event of the stream is damaged"))?;
                let held = self.shared.held.load_full();
                if held.as_ref().is_some_and(|held| held.tag == told.tag) {
                    self.judge();
                    return Ok(None);
                }
                if held.is_some() {
                    sleep(backoff::between(Duration::ZERO, SPREAD)).await;
                }
                self.fetch().await?;
            }
            "proof" => self.take_proof(event.data.as_bytes())?,
            // What later versions send besides.
            _ => {}
        }
        Ok(None)
    }

    fn take_delta(&mut self, data: &[u8]) -> Result<Option<String>, Failure> {
        let damaged = || Failure::unavailable("a change is damaged");
        let push = Bytes::from(BASE64.decode(data).map_err(|_| damaged())?);
        let (frame, signature) = frames::split(push).map_err(|_| damaged())?;
        let Ok(Push::Delta(delta)) = merge::read(&frame) else {
            return Err(damaged());
        };
        let Some(held) = self.shared.held.load_full() else {
            return Ok(Some(MISFIT.to_owned()));
        };
        if delta.head.version <= held.version()
            && delta.head.env_id == held.environment.head().env_id
        {
            return Ok(None);
        }
        let environment = match held.environment.apply(&delta) {
            Ok(environment) => environment,
            Err(why) => {
                tracing::debug!(%why, "a change does not fit");
                if matches!(why, ApplyError::Base { .. }) {
                    return Ok(Some(MISFIT.to_owned()));
                }
                let why = why.to_string();
                self.shared.went_wrong(None, &why);
                return Ok(Some(why));
            }
        };
        if let Err(why) = self.pins.check(&environment, signature.as_ref()) {
            let why = format!("the edge's contents are {why}");
            tracing::warn!(%why, "a change is not applied");
            self.shared.went_wrong(None, &why);
            return Ok(Some(why));
        }
        if let Some(frames) = &mut self.frames {
            frames.push(frame, signature);
        }
        let changed = changes::of_delta(&environment, &delta);
        self.pins.accept(signature);
        self.hold(environment, changed);
        self.judge();
        Ok(None)
    }

    /// Fetches the whole environment.
    async fn fetch(&mut self) -> Result<(), Failure> {
        let damaged = |why: Damaged| Failure::unavailable(format!("what the edge sent is {why}"));
        let push = self.edge.snapshot().await?;
        let (frame, signature) = frames::split(push).map_err(damaged)?;
        let keeps = self.copy.is_some();
        let keeps = keeps.then(|| Frames::new(frame.clone(), signature));
        let (held, pins) = (self.shared.held.load_full(), self.pins.clone());
        // It takes a while for many flags.
        let prepared = spawn_blocking(move || {
            let push = merge::read(&frame).map_err(damaged)?;
            let environment = frames::prepare(&push).map_err(damaged)?;
            pins.check(&environment, signature.as_ref())
                .map_err(|why| Failure::unavailable(format!("the edge's contents are {why}")))?;
            let older = held.as_ref().map(|held| &held.environment);
            let changed = changes::between(older, &environment);
            Ok((environment, changed))
        });
        let prepared = prepared
            .await
            .map_err(|why| Failure::unavailable(why.to_string()))?;
        let (environment, changed) = prepared?;
        self.frames = keeps;
        self.pins.accept(signature);
        let held = self.shared.held.load_full();
        let tag = protocol::wire::sdk::tag(environment.head().version, environment.digest());
        if held.is_none_or(|held| held.tag != tag) {
            self.hold(environment, changed);
        }
        self.judge();
        Ok(())
    }

    /// Takes the proof that what is held is current. One of something else is of no use, and changes nothing.
    fn take_proof(&mut self, data: &[u8]) -> Result<(), Failure> {
        let proof = BASE64.decode(data).ok();
        let proof = proof.and_then(|bytes| codec::decode(&bytes).ok());
        let proof =
            proof.ok_or_else(|| Failure::unavailable("an event of the stream is damaged"))?;
        let version = self.shared.held.load().as_ref().map(|held| held.version());
        let proven = version.map(|version| self.pins.prove(version, &proof));
        match proven {
            Some(Ok(())) => self.judge(),
            Some(Err(why)) => tracing::debug!(%why, "a proof is not used"),
            None => {}
        }
        Ok(())
    }

    /// What is held is what the edge serves: whether that is current is not for the edge to say where something is pinned.
    #[expect(
        clippy::disallowed_methods,
        reason = "told to people; nothing is decided by it"
    )]
    fn judge(&self) {
        match self.pins.unproven_since(SystemTime::now()) {
            None => self.shared.is_current(),
            Some(since) => self
                .shared
                .went_wrong(Some(State::Stale { since }), UNPROVEN),
        }
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
