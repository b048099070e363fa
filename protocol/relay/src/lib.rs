//! An edge that serves the link to other edges, in place of a control plane.
//!
//! Edges below are sent the frames that this edge received itself (`frames`), once it serves them; `uplink` speaks for all
//! of them to the server above. No edge is greeted while the age of these frames is unknown: edges then connect where it
//! is known, and those without another address continue to serve what they hold.

mod catch_ups;
mod frames;
mod keys;
mod questions;
mod serve;
mod served;
mod source;
mod uplink;
mod usage;
mod what_if;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use fanout::{
    AllSampled, Change, Hub, LastTimestamp, NotNow, Regions, Rehearsals, Rehearsed, Seen, Sight,
    Sighting, Signers, Wanted,
};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
    timestamp::Register,
    what_if::{Sampled, SignedQuestion},
    wire::{
        message::{Epoch, Held, Looked, Push, StreamSecret},
        usage::Upload,
    },
};
use serving::{clock::Clock, telemetry::Metric};
use tokio::{
    sync::{Notify, mpsc, watch},
    time::Instant,
};

use self::{
    catch_ups::CatchUps,
    frames::Frames,
    questions::{Ask, Questions},
    served::Served,
    usage::Reports,
};

pub use self::uplink::Uplink;

/// The metrics of a relay, beside those of the link that it serves.
pub const METRICS: &[Metric] = &[Metric::counter(
    "halyard_relay_refills_total",
    "Environments that a relay asked for whole because an edge below needed them and only the cache had them.",
)];

/// Environments asked for at the same time: a round trip over a long line brings this many.
const REFILLS: usize = 256;

/// An environment of a key, and the version that has the key.
pub type Located = (EnvId, Version);

/// The edge that is a relay.
pub trait Host: Send + Sync + 'static {
    /// The environments that it serves.
    fn holds(&self) -> Vec<Held>;

    /// The time of the control plane, Unix milliseconds.
    fn now_ms(&self) -> i64;

    /// The environment of a key that it serves, if the key is valid now.
    fn locate(&self, hash: &KeyHash) -> Option<Located>;

    /// Looks a key up above.
    fn look_up(&self, hash: KeyHash) -> BoxFuture<'static, Result<Option<Located>, NotNow>>;

    /// Sends usage over the current connection, or the next one.
    fn upload(&self, upload: Upload) -> BoxFuture<'_, ()>;
}

/// A relay. Clones share it.
#[derive(Clone)]
pub struct Relay(Arc<Parts>);

struct Parts {
    host: Arc<dyn Host>,
    clock: Clock,
    hub: Arc<Hub>,
    sight: Sight,
    frames: Frames,
    /// Environments that have to come again before they can be sent whole.
    wanted: Wanted,
    questions: Questions,
    /// The questions, taken by the current connection.
    asks: tokio::sync::Mutex<mpsc::Receiver<Ask>>,
    reports: Reports,
    catch_ups: CatchUps,
    catch_up_turn: tokio::sync::Mutex<()>,
    /// Notified when the listener has another certificate to show.
    renewed: Arc<Notify>,
    /// The history of what is served; `None` before the first greeting.
    epoch: watch::Sender<Option<Epoch>>,
    stream_secret: Mutex<Option<StreamSecret>>,
    /// Whose signatures the frames have, as the server above says.
    signers: watch::Sender<Signers>,
    timestamps: watch::Sender<LastTimestamp>,
    rehearsals: watch::Sender<Rehearsals>,
    sampled: watch::Sender<AllSampled>,
    asked: what_if::Open,
    /// Held while the hub is updated, so that it sees versions in their order. An environment's turn may be held then,
    /// never the other way round.
    served: Mutex<Served>,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Relay(..)")
    }
}

impl Relay {
    /// A relay without a connection to the server above.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, clock: Clock) -> Self {
        let (questions, asks) = Questions::new();
        Self(Arc::new(Parts {
            reports: Reports::new(Arc::clone(&host)),
            host,
            clock,
            hub: Arc::default(),
            // Without a look for this long, edges below may find a better place. Each level of relays adds up to a second to the
            // age of the last look.
            sight: Sight::new(Duration::from_secs(10)),
            frames: Frames::default(),
            wanted: Wanted::default(),
            questions,
            asks: tokio::sync::Mutex::new(asks),
            catch_ups: CatchUps::default(),
            catch_up_turn: tokio::sync::Mutex::default(),
            renewed: Arc::default(),
            epoch: watch::Sender::new(None),
            stream_secret: Mutex::default(),
            signers: watch::Sender::default(),
            timestamps: watch::Sender::default(),
            rehearsals: watch::Sender::default(),
            sampled: watch::Sender::default(),
            asked: what_if::Open::default(),
            served: Mutex::default(),
        }))
    }

    /// The certificates (DER) of the keys whose signatures the frames have from now on; none where they have none.
    pub fn signers(&self, certificates: Vec<Vec<u8>>) {
        self.0.signers.send_if_modified(|known| {
            let are_others = **known != certificates;
            if are_others {
                *known = Arc::new(certificates);
            }
            are_others
        });
    }

    /// Which versions were current, as the control plane signed it.
    pub fn timestamp(&self, register: Arc<Register>) {
        self.0.timestamps.send_replace(Some(register));
    }

    /// The rehearsals that go on, here too.
    pub fn rehearsals(&self, running: Vec<Rehearsed>) {
        self.0.rehearsals.send_replace(Arc::new(running));
    }

    /// The environments whose requests are sampled, here too.
    pub fn sampled(&self, all: Vec<Sampled>) {
        self.0.sampled.send_replace(Arc::new(all));
    }

    /// A question that whoever may ask has asked.
    pub fn asked(&self, signed: Arc<SignedQuestion>) {
        self.0.asked.add(signed);
    }

    /// The certificate of this edge is not accepted any more: its edges need not wait until they notice.
    pub fn refused(&self) {
        self.0.sight.lose(&self.0.hub);
    }

    /// A greeting was applied: the environments that are served belong to this edge, and are of this history.
    pub fn greeted(&self, epoch: Epoch, secret: StreamSecret) {
        *self.0.stream_secret.lock() = Some(secret);
        let holds = self.0.host.holds();
        let mut served = self.0.served.lock();
        let before = self.0.epoch.send_replace(None);
        if before != Some(epoch) {
            if before.is_some() {
                tracing::warn!("the database has another history: the edges below greet again");
            }
            self.0.frames.forget();
            self.0.hub.forget();
        }
        for dropped in served.greet(&holds, before == Some(epoch)) {
            self.0.frames.removed(dropped);
            self.0.wanted.arrived(dropped);
        }
        for held in &holds {
            self.0.frames.holds(held.env_id, held.version);
        }
        self.list_all(&served);
        self.0.epoch.send_replace(Some(epoch));
    }

    /// The certificate of this edge is that of a relay of these regions. What is acknowledged may wait as long as this for
    /// the edges below.
    fn serves(&self, own: Regions, patience: Duration) {
        let mut served = self.0.served.lock();
        served.set_own(own, patience);
        self.list_all(&served);
    }

    /// Whether the server above knows this edge as a relay.
    fn is_known(&self) -> bool {
        self.0.served.lock().own().is_some()
    }

    /// These environments are of this region.
    fn place(&self, region: &str, environments: &[EnvId]) {
        let mut served = self.0.served.lock();
        served.place(region, environments);
        let seen: Vec<_> = environments
            .iter()
            .filter_map(|env_id| served.seen(*env_id))
            .collect();
        self.0.hub.see(&seen);
        // Some of these may be sampled.
        self.0.sampled.send_modify(|_| {});
    }

    /// The server above last polled then, and everything that it found has been sent since, or is on its way.
    fn looked(&self, looked: Looked) {
        let ago = Duration::from_millis(looked.ago_ms.into());
        if self.is_known()
            && let Some(began) = Instant::now().checked_sub(ago)
        {
            self.0.sight.saw(began, looked.position);
        }
    }

    /// A push was applied, in the environment's turn.
    pub fn applied(&self, push: &Push, frame: Bytes) {
        let env_id = push.env_id();
        let frames = &self.0.frames;
        let (version, digest) = match push {
            Push::Snapshot(snapshot, digest) => {
                frames.whole(env_id, snapshot.head.version, frame);
                self.0.wanted.arrived(env_id);
                (snapshot.head.version, *digest)
            }
            Push::Delta(delta) => {
                frames.delta(env_id, delta.base, delta.head.version, delta.urgent, frame);
                (delta.head.version, delta.digest)
            }
            Push::Removed { .. } => {
                frames.removed(env_id);
                self.0.wanted.arrived(env_id);
                let mut served = self.0.served.lock();
                served.remove(env_id);
                self.0.hub.see(&[Seen::Removed { env_id }]);
                return;
            }
        };
        let mut served = self.0.served.lock();
        served.apply(Held {
            env_id,
            version,
            digest,
        });
        let seen: Vec<_> = served.seen(env_id).into_iter().collect();
        let Sighting {
            lowered,
            contradicted,
            ..
        } = self.0.hub.see(&seen);
        if !lowered.is_empty() || !contradicted.is_empty() {
            // The server above has newer knowledge than before.
            self.0.hub.correct(&seen);
        }
    }

    /// Waits until the edges below that keep up serve a version too, or no longer have an environment that is gone.
    pub async fn reached(&self, env_id: EnvId, version: Version) {
        let change = Change {
            version,
            environments: vec![env_id],
        };
        if self.is_passed_on(env_id) {
            let patience = self.0.served.lock().patience();
            self.0.hub.reached(&change, patience).await;
        }
    }

    /// A key was created: negative answers about it may no longer hold, here and below.
    fn key_created(&self, hash: &KeyHash) {
        self.0.hub.tell_new_key(hash);
    }

    /// Whether edges below can be sent it, or its removal: not before its region is known.
    fn is_passed_on(&self, env_id: EnvId) -> bool {
        let served = self.0.served.lock();
        served.held(env_id).is_none() || served.seen(env_id).is_some()
    }

    fn list_all(&self, served: &Served) {
        if served.own().is_some() {
            self.0.hub.see_all(&served.all_seen());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An edge that serves nothing and is not connected.
    pub(crate) struct Nothing;

    impl Host for Nothing {
        fn holds(&self) -> Vec<Held> {
            Vec::new()
        }

        fn now_ms(&self) -> i64 {
            0
        }

        fn locate(&self, _: &KeyHash) -> Option<Located> {
            None
        }

        fn look_up(&self, _: KeyHash) -> BoxFuture<'static, Result<Option<Located>, NotNow>> {
            Box::pin(async { Err(NotNow) })
        }

        fn upload(&self, _: Upload) -> BoxFuture<'_, ()> {
            Box::pin(async {})
        }
    }
}
