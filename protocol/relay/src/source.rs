//! The relay as a source of environments.

use std::{sync::Arc, time::Duration};

use fanout::{
    Admission, AllAsked, AllSampled, Fingerprint, Hub, LastTimestamp, NotAdmitted, NotGreeted,
    NotNow, Regions, Rehearsals, Reporter, Rewound, Sight, Signers, Source, Update,
};
use protocol::{
    ids::EnvId,
    snapshot::{Digest, Version},
    what_if::Finding,
    wire::{
        message::{Epoch, StreamSecret},
        relay::{MAX_BELOW, RelayMessage, ToRelay},
        usage::{ToldDefault, Upload, UsageBatch},
    },
};
use serving::clock::Clock;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::{REFILLS, Relay, frames::Found, keys::KeysBelow};

impl Source for Relay {
    type Lookup = KeysBelow;

    fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    fn sight(&self) -> &Sight {
        &self.0.sight
    }

    fn clock(&self) -> &Clock {
        &self.0.clock
    }

    fn now_ms(&self) -> i64 {
        self.0.host.now_ms()
    }

    fn stream_secret(&self) -> StreamSecret {
        // No edge is greeted before the first greeting of this one.
        (*self.0.stream_secret.lock()).unwrap_or(StreamSecret([0; 32]))
    }

    fn signers(&self) -> watch::Receiver<Signers> {
        self.0.signers.subscribe()
    }

    fn timestamps(&self) -> watch::Receiver<LastTimestamp> {
        self.0.timestamps.subscribe()
    }

    fn rehearsals(&self) -> watch::Receiver<Rehearsals> {
        self.0.rehearsals.subscribe()
    }

    fn sampled(&self) -> watch::Receiver<AllSampled> {
        self.0.sampled.subscribe()
    }

    fn questions(&self) -> watch::Receiver<AllAsked> {
        self.0.asked.subscribe()
    }

    fn patience(&self) -> Duration {
        self.0.served.lock().patience()
    }

    fn regions(&self) -> Regions {
        // No region has an empty name: nothing, as long as it is not known.
        let own = self.0.served.lock().own().cloned();
        own.unwrap_or_else(|| Regions::Only("".into()))
    }

    fn epoch(&self) -> Option<Epoch> {
        *self.0.epoch.borrow()
    }

    async fn caught_up(&self) -> Epoch {
        let before = self.0.catch_ups.begun();
        loop {
            // One question is enough for all that began to wait before it was asked.
            let turn = self.0.catch_up_turn.lock().await;
            if !self.0.catch_ups.is_done_after(before) {
                self.catch_up().await;
            }
            drop(turn);
            if self.0.catch_ups.is_done_after(before)
                && let Some(epoch) = self.epoch()
            {
                return epoch;
            }
            sleep(Duration::from_millis(250)).await;
        }
    }

    fn rewound(&self, proof: Rewound) -> Option<NotGreeted> {
        let Rewound {
            epoch,
            position,
            held,
            ..
        } = proof;
        // The control plane judges, which sees the database. Until then the edge continues with newer versions.
        self.0.questions.send(RelayMessage::Rewound {
            epoch,
            position,
            held,
        });
        None
    }

    fn is_left_out(&self, _: EnvId) -> bool {
        // An environment that could not be sent to this edge is not served by it.
        false
    }

    async fn digest(&self, env_id: EnvId, _: Version) -> Option<(Version, Digest)> {
        let served = self.0.served.lock();
        let held = served.held(env_id)?;
        Some((held.version, held.digest))
    }

    async fn update(&self, env_id: EnvId, base: Option<Version>, _: Version) -> Update {
        let mut has_waited = false;
        loop {
            match self.0.frames.update(env_id, base).await {
                Found::Send(frame) => return Update::Send(frame),
                Found::Nothing(version) => return Update::Nothing(version),
                Found::Gone => return Update::Gone,
                Found::Missing if has_waited => return Update::NotNow,
                Found::Missing => {
                    has_waited = true;
                    // An edge that needs one of them whole needs others too.
                    if self.0.wanted.count() < REFILLS {
                        self.0.wanted.add(self.0.frames.without_whole(1_024));
                    }
                    self.0.wanted.arrival(env_id, Duration::from_secs(5)).await;
                }
            }
        }
    }

    async fn admit(&self, certificate: &Fingerprint) -> Result<Admission, NotAdmitted> {
        if self.0.hub.count_all() >= MAX_BELOW {
            return Err(NotAdmitted::Unavailable("too many edges are below".into()));
        }
        let certificate = *certificate;
        let asked = self.0.questions.ask(move |request| RelayMessage::Admit {
            request,
            certificate,
        });
        match asked.await {
            Ok(ToRelay::Admitted {
                name,
                region,
                is_relay,
                ..
            }) => Ok(Admission {
                name,
                region,
                is_relay,
            }),
            Ok(ToRelay::NotAdmitted {
                refusal: Some(refusal),
                ..
            }) => Err(refusal.into()),
            Ok(_) | Err(NotNow) => Err(NotAdmitted::Unavailable(NotNow.into())),
        }
    }

    fn lookup(&self, regions: Regions) -> KeysBelow {
        KeysBelow::new(self.clone(), regions)
    }

    async fn store(&self, reporter: &Reporter, batch: UsageBatch) -> Result<(), NotNow> {
        self.0.reports.store(reporter.certificate, batch).await
    }

    async fn told(&self, reporter: &Reporter, mut defaults: Vec<ToldDefault>) {
        // Above, they come from this relay, which may have more regions.
        let hub = &self.0.hub;
        defaults.retain(|told| hub.is_within(told.env_id, &reporter.regions));
        self.pass_up(Upload::Defaults(defaults)).await;
    }

    async fn found(&self, reporter: &Reporter, finding: Finding) {
        let env_id = self.0.asked.env_id(&finding.question);
        let hub = &self.0.hub;
        // Nobody else is told of the question.
        if env_id.is_some_and(|env_id| hub.is_within(env_id, &reporter.regions)) {
            self.pass_up(Upload::Finding(finding)).await;
        }
    }

    async fn renew(
        &self,
        connected_with: &Fingerprint,
        certificate_request: Vec<u8>,
    ) -> Result<Vec<u8>, String> {
        let certificate = *connected_with;
        let asked = self.0.questions.ask(move |request| RelayMessage::Renew {
            request,
            certificate,
            certificate_request,
        });
        match asked.await {
            Ok(ToRelay::Renewed { certificate, .. }) => Ok(certificate),
            Ok(ToRelay::NotRenewed { reason, .. }) => Err(reason),
            Ok(_) | Err(NotNow) => Err("the relay cannot ask for certificates now".to_owned()),
        }
    }
}

impl Relay {
    /// Sends what may be lost; without a connection it is.
    async fn pass_up(&self, upload: Upload) {
        drop(timeout(Duration::from_secs(1), self.0.host.upload(upload)).await);
    }

    /// Asks the server above, once there is a connection.
    async fn catch_up(&self) {
        self.0.questions.connected().await;
        let number = self.0.catch_ups.begin();
        let asked = self
            .0
            .questions
            .ask(|request| RelayMessage::CatchUp { request });
        if let Ok(ToRelay::CaughtUp { looked, .. }) = asked.await {
            self.looked(looked);
            self.0.catch_ups.end(number);
        }
    }
}
