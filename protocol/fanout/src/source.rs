//! What has environments to send.

use std::{error::Error, fmt::Debug, sync::Arc, time::Duration};

use bytes::Bytes;
use protocol::{
    ids::EnvId,
    rehearsal::{Running, SignedRehearsal},
    snapshot::{Digest, KeyHash, Version},
    timestamp::Register,
    what_if::{Finding, Sampled, SignedQuestion},
    wire::{
        message::{Epoch, StreamSecret},
        relay::Refusal,
        usage::{ToldDefault, UsageBatch},
    },
};
use serving::clock::Clock;
use tokio::{sync::watch, time::Instant};

use crate::{Fingerprint, Hub, NotGreeted, Regions, Rewound, Sight};

/// Certificates (DER) of keys that sign what is sent.
pub type Signers = Arc<Vec<Vec<u8>>>;

/// The last [timestamp](protocol::timestamp) of what is sent, if there is one.
pub type LastTimestamp = Option<Arc<Register>>;

/// The [rehearsals](protocol::rehearsal) that go on.
pub type Rehearsals = Arc<Vec<Rehearsed>>;

/// A rehearsal that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rehearsed {
    /// Which.
    pub signed: SignedRehearsal,
    /// When it ends.
    pub until: Instant,
}

impl Rehearsed {
    /// As it is told now; nothing once it is over.
    #[must_use]
    pub fn running(&self) -> Option<Running> {
        let remaining = self.until.saturating_duration_since(Instant::now());
        let remaining_ms = u32::try_from(remaining.as_millis()).ok()?;
        (remaining_ms > 0).then_some(Running {
            signed: self.signed,
            remaining_ms,
        })
    }
}

/// The environments whose requests are [sampled](protocol::what_if).
pub type AllSampled = Arc<Vec<Sampled>>;

/// The questions that are open.
pub type AllAsked = Arc<Vec<Asked>>;

/// A question that is open.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Which.
    pub signed: Arc<SignedQuestion>,
    /// When it is no longer told, and answers to it are no longer taken.
    pub until: Instant,
}

impl Asked {
    /// The environment that it is about.
    #[must_use]
    pub fn env_id(&self) -> EnvId {
        self.signed.question.sampled.env_id
    }
}

/// A message that may be sent to any number of edges.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The version that its receiver holds afterwards.
    pub version: Version,
    /// Encoded and compressed, with the signature behind it if there is one ([`signed`](protocol::wire::signed)).
    pub bytes: Bytes,
    /// Whether it overtakes other messages.
    pub urgent: bool,
}

/// What to send to an edge.
#[derive(Debug)]
pub enum Update {
    /// A message.
    Send(Frame),
    /// The edge holds the newest version.
    Nothing(Version),
    /// The environment is gone: the hub is notified.
    Gone,
    /// It cannot be read now, for whatever reason: to be tried again.
    NotNow,
    /// It cannot be made at all: the hub was told to leave it out.
    LeftOut,
}

/// Who an edge is, by its certificate.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The name in its certificate.
    pub name: String,
    /// The data region whose organizations it may hold; `None` for all.
    pub region: Option<String>,
    /// Whether it may serve other edges.
    pub is_relay: bool,
}

impl Admission {
    /// The regions whose organizations it may hold.
    #[must_use]
    pub fn regions(&self) -> Regions {
        let region = self.region.as_deref();
        region.map_or(Regions::All, |region| Regions::Only(region.into()))
    }
}

/// Why an edge may not connect.
#[derive(Debug, thiserror::Error)]
pub enum NotAdmitted {
    /// Its certificate is not accepted.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It cannot be said now.
    #[error("the certificate cannot be checked now")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
}

/// It was not done now, and may be asked for again: there was no room, or no answer.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not now")]
pub struct NotNow;

/// Who reports usage.
#[derive(Clone, Debug)]
pub struct Reporter {
    /// The name in its certificate.
    pub name: String,
    /// Its certificate.
    pub certificate: Fingerprint,
    /// The regions whose organizations it may report for.
    pub regions: Regions,
}

/// Looks up API keys for one edge.
pub trait Lookup: Send + Sync {
    /// The environment of an API key that is valid now, if the edge may hold it, and the version that has the key.
    fn look_up(
        &self,
        hash: &KeyHash,
    ) -> impl Future<Output = Result<Option<(EnvId, Version)>, NotNow>> + Send;
}

/// What has environments to send. Clones share it.
pub trait Source: Clone + Debug + Send + Sync + 'static {
    /// Looks up keys for one edge.
    type Lookup: Lookup;

    /// What knows the edges.
    fn hub(&self) -> &Arc<Hub>;

    /// Whether what there is to send is known to be new.
    fn sight(&self) -> &Sight;

    /// The clock.
    fn clock(&self) -> &Clock;

    /// The time by which keys and certificates expire, Unix milliseconds.
    fn now_ms(&self) -> i64 {
        self.clock().unix_ms()
    }

    /// Sent to edges, the same everywhere.
    fn stream_secret(&self) -> StreamSecret;

    /// Whose signatures what it sends has, and every change of that.
    fn signers(&self) -> watch::Receiver<Signers>;

    /// The timestamps of what it sends.
    fn timestamps(&self) -> watch::Receiver<LastTimestamp>;

    /// The rehearsals that go on in what it sends.
    fn rehearsals(&self) -> watch::Receiver<Rehearsals>;

    /// The environments of what it sends whose requests are sampled.
    fn sampled(&self) -> watch::Receiver<AllSampled>;

    /// The questions that are open.
    fn questions(&self) -> watch::Receiver<AllAsked>;

    /// How long what it tells of waits for edges to serve it.
    fn patience(&self) -> Duration;

    /// What it has. Edges that may hold more are refused.
    fn regions(&self) -> Regions;

    /// The history of the environments; `None` before there is one, and between two.
    fn epoch(&self) -> Option<Epoch>;

    /// Waits until everything is there that was committed before now. Returns its history.
    fn caught_up(&self) -> impl Future<Output = Epoch> + Send;

    /// An edge holds what there never was. `None` if it may be greeted all the same.
    fn rewound(&self, proof: Rewound) -> Option<NotGreeted>;

    /// Whether the last attempt to make an environment failed.
    fn is_left_out(&self, env_id: EnvId) -> bool;

    /// The version and digest of an environment, computed if need be; `None` if it is gone or cannot be made.
    fn digest(
        &self,
        env_id: EnvId,
        at_least: Version,
    ) -> impl Future<Output = Option<(Version, Digest)>> + Send;

    /// What takes an edge from `base`, or from nothing, to at least `at_least`.
    fn update(
        &self,
        env_id: EnvId,
        base: Option<Version>,
        at_least: Version,
    ) -> impl Future<Output = Update> + Send;

    /// Whether the edge with this certificate may connect.
    fn admit(
        &self,
        certificate: &Fingerprint,
    ) -> impl Future<Output = Result<Admission, NotAdmitted>> + Send;

    /// Looks up keys for one more edge, of these regions.
    fn lookup(&self, regions: Regions) -> Self::Lookup;

    /// Stores what an edge counted. Once this succeeds it can no longer be lost.
    fn store(
        &self,
        reporter: &Reporter,
        batch: UsageBatch,
    ) -> impl Future<Output = Result<(), NotNow>> + Send;

    /// Takes which defaults callers told an edge. They may be lost.
    fn told(
        &self,
        reporter: &Reporter,
        defaults: Vec<ToldDefault>,
    ) -> impl Future<Output = ()> + Send;

    /// Takes what an edge found about a question. It may be lost.
    fn found(&self, reporter: &Reporter, finding: Finding) -> impl Future<Output = ()> + Send;

    /// Issues a certificate (DER) for the key of a request (PKCS #10, DER) to the edge that is connected with another
    /// one. The error is for people.
    fn renew(
        &self,
        connected_with: &Fingerprint,
        request: Vec<u8>,
    ) -> impl Future<Output = Result<Vec<u8>, String>> + Send;
}
