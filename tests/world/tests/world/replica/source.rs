//! What the link asks of a control plane.

use std::{sync::Arc, time::Duration};

use fanout::{
    Admission, AllAsked, AllSampled, Fingerprint, Frame, Hub, LastTimestamp, Lookup, NotAdmitted,
    NotGreeted, NotNow, Regions, Rehearsals, Reporter, Rewound, Sight, Signers, Source, Update,
};
use protocol::{
    ids::EnvId,
    snapshot::{Digest, KeyHash, Version},
    what_if::Finding,
    wire::{
        frame,
        message::{Epoch, Push, StreamSecret},
        relay::Refusal,
        usage::{ToldDefault, UsageBatch},
    },
};
use serving::clock::Clock;
use tokio::{sync::watch, time::sleep};

use super::{Replica, WAIT};

/// Keys are all known to edges.
pub(crate) struct Nobody;

impl Lookup for Nobody {
    async fn look_up(&self, _: &KeyHash) -> Result<Option<(EnvId, Version)>, NotNow> {
        Err(NotNow)
    }
}

impl Source for Replica {
    type Lookup = Nobody;

    fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    fn sight(&self) -> &Sight {
        &self.0.sight
    }

    fn clock(&self) -> &Clock {
        &self.0.clock
    }

    fn stream_secret(&self) -> StreamSecret {
        StreamSecret([0; 32])
    }

    fn signers(&self) -> watch::Receiver<Signers> {
        watch::Sender::default().subscribe()
    }

    fn timestamps(&self) -> watch::Receiver<LastTimestamp> {
        watch::Sender::default().subscribe()
    }

    fn rehearsals(&self) -> watch::Receiver<Rehearsals> {
        watch::Sender::default().subscribe()
    }

    fn sampled(&self) -> watch::Receiver<AllSampled> {
        watch::Sender::default().subscribe()
    }

    fn questions(&self) -> watch::Receiver<AllAsked> {
        watch::Sender::default().subscribe()
    }

    fn patience(&self) -> Duration {
        WAIT
    }

    fn regions(&self) -> Regions {
        Regions::All
    }

    fn epoch(&self) -> Option<Epoch> {
        *self.0.epoch.borrow()
    }

    async fn caught_up(&self) -> Epoch {
        while self.poll().await.is_err() {
            sleep(Duration::from_millis(100)).await;
        }
        let mut epoch = self.0.epoch.subscribe();
        let known = epoch.wait_for(Option::is_some).await;
        known.ok().and_then(|known| *known).unwrap()
    }

    fn rewound(&self, proof: Rewound) -> Option<NotGreeted> {
        self.0.known.lock().unwrap().claimed = Some(proof.epoch);
        self.0.woken.notify_one();
        Some(NotGreeted::Rewound)
    }

    fn is_left_out(&self, _: EnvId) -> bool {
        false
    }

    async fn digest(&self, env_id: EnvId, at_least: Version) -> Option<(Version, Digest)> {
        let env = number_of(env_id);
        let stored = self.track(env, at_least, false).await.ok()?;
        Some((stored.version, stored.digest(env)))
    }

    async fn update(&self, env_id: EnvId, base: Option<Version>, at_least: Version) -> Update {
        let env = number_of(env_id);
        let at_least = at_least.max(base.unwrap_or(0));
        let Ok(stored) = self.track(env, at_least, base.is_none()).await else {
            return Update::NotNow;
        };
        let version = stored.version;
        let push = match base {
            Some(base) if base >= version => return Update::Nothing(version),
            Some(base) => Push::Delta(stored.delta(env, base)),
            None => Push::Snapshot(stored.snapshot(env), stored.digest(env)),
        };
        Update::Send(Frame {
            version,
            bytes: frame::encode(&push).unwrap().into(),
            urgent: false,
        })
    }

    async fn admit(&self, certificate: &Fingerprint) -> Result<Admission, NotAdmitted> {
        let asked = self.0.line.ask(|_| ()).await;
        asked.map_err(|error| NotAdmitted::Unavailable(error.into()))?;
        let edge = self.0.edges.get(certificate).cloned();
        Ok(edge.ok_or(Refusal::Unknown)?)
    }

    fn lookup(&self, _: Regions) -> Nobody {
        Nobody
    }

    async fn store(&self, reporter: &Reporter, batch: UsageBatch) -> Result<(), NotNow> {
        self.0
            .line
            .ask(|database| database.count(&reporter.name, &batch))
            .await
    }

    async fn told(&self, _: &Reporter, _: Vec<ToldDefault>) {}

    async fn found(&self, _: &Reporter, _: Finding) {}

    async fn renew(&self, _: &Fingerprint, _: Vec<u8>) -> Result<Vec<u8>, String> {
        Err("nobody is renewed".to_owned())
    }
}

fn number_of(env_id: EnvId) -> u8 {
    u8::try_from(env_id.uuid().as_u128() - 1).unwrap()
}
