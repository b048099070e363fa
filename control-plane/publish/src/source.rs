//! The control plane as the source of environments: compiled from the database.

use std::{sync::Arc, time::Duration};

use fanout::{
    Admission, AllAsked, AllSampled, Fingerprint, Hub, LastTimestamp, Lookup, NotAdmitted,
    NotGreeted, NotNow, Regions, Rehearsals, Reporter, Rewound, Sight, Signers, Source, Update,
};
use protocol::{
    ids::EnvId,
    snapshot::{Digest, KeyHash, Version},
    what_if::Finding,
    wire::{
        message::{Epoch, StreamSecret},
        relay::Refusal,
        usage::{ToldDefault, UsageBatch},
    },
};
use serving::{clock::Clock, error::chain};
use tokio::sync::watch;

use super::{Asker, Publisher};
use crate::edges::{
    model::EdgeCertificate,
    renew::{RenewError, Renewed, renew},
    store,
};
use base::{db, operator::date};
use domain::usage;

impl Source for Publisher {
    type Lookup = Asker;

    fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    fn sight(&self) -> &Sight {
        &self.0.sight
    }

    fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Of replicas whose clocks differ, an edge would else go by the one that it is linked to.
    fn now_ms(&self) -> i64 {
        self.0.signing.by_database_ms()
    }

    fn stream_secret(&self) -> StreamSecret {
        self.0.stream_secret
    }

    fn signers(&self) -> watch::Receiver<Signers> {
        self.0.signing.certificates()
    }

    fn timestamps(&self) -> watch::Receiver<LastTimestamp> {
        self.0.signing.timestamps()
    }

    fn rehearsals(&self) -> watch::Receiver<Rehearsals> {
        self.0.rehearsals.subscribe()
    }

    fn sampled(&self) -> watch::Receiver<AllSampled> {
        self.0.sampled.subscribe()
    }

    fn questions(&self) -> watch::Receiver<AllAsked> {
        self.0.questions.subscribe()
    }

    fn patience(&self) -> Duration {
        self.0.snapshot_wait
    }

    fn regions(&self) -> Regions {
        Regions::All
    }

    fn epoch(&self) -> Option<Epoch> {
        *self.0.epoch.borrow()
    }

    async fn caught_up(&self) -> Epoch {
        // From here on the writes of other replicas wait for this edge too.
        self.0.replicas.announced().await;
        self.polled().await;
        self.known_epoch().await
    }

    fn rewound(&self, proof: Rewound) -> Option<NotGreeted> {
        if self.0.claims.make(proof.epoch, proof.by) {
            self.0.db.changed().wake();
            Some(NotGreeted::Rewound)
        } else {
            Some(NotGreeted::RewoundAgain)
        }
    }

    fn is_left_out(&self, env_id: EnvId) -> bool {
        self.0.contents.is_broken(env_id.into())
    }

    async fn digest(&self, env_id: EnvId, at_least: Version) -> Option<(Version, Digest)> {
        let current = self.0.contents.current(env_id.into(), at_least).await;
        current.ok()?
    }

    async fn update(&self, env_id: EnvId, base: Option<Version>, at_least: Version) -> Update {
        let updated = self.0.contents.update(env_id.into(), base, at_least).await;
        updated.unwrap_or_else(|error| {
            tracing::warn!(env.id = %env_id, error = chain(&error), "an environment cannot be read now; retrying");
            Update::NotNow
        })
    }

    async fn admit(&self, certificate: &Fingerprint) -> Result<Admission, NotAdmitted> {
        let edge = self.check(certificate).await?;
        Ok(Admission {
            name: edge.name,
            region: edge.region,
            is_relay: edge.is_relay,
        })
    }

    fn lookup(&self, regions: Regions) -> Asker {
        self.asker(regions)
    }

    async fn store(&self, reporter: &Reporter, batch: UsageBatch) -> Result<(), NotNow> {
        let reporter = usage::Reporter::joined(&reporter.name, reporter.regions.clone());
        let stored = self.0.usage.store(reporter, batch).await;
        stored.map_err(|_| NotNow)
    }

    async fn told(&self, reporter: &Reporter, defaults: Vec<ToldDefault>) {
        let reporter = usage::Reporter::joined(&reporter.name, reporter.regions.clone());
        self.0.usage.told(reporter, defaults);
    }

    async fn found(&self, reporter: &Reporter, finding: Finding) {
        self.take_finding(reporter, finding).await;
    }

    async fn renew(
        &self,
        connected_with: &Fingerprint,
        request: Vec<u8>,
    ) -> Result<Vec<u8>, String> {
        let shared = &self.0;
        let Some(authority) = shared.authority.get() else {
            return Err(UNAVAILABLE.to_owned());
        };
        let renewed = renew(
            &shared.db,
            authority,
            connected_with,
            &request,
            shared.clock.now(),
        );
        match renewed.await {
            Ok(Renewed { edge, certificate }) => {
                count("renewed");
                tracing::info!(
                    edge.name = edge.name,
                    until = date(edge.expires_at),
                    "renewed the certificate of an edge"
                );
                Ok(certificate.to_vec())
            }
            Err(error) => Err(refuse(&error)),
        }
    }
}

impl Publisher {
    /// The certificate, if it is accepted. Its edge is recorded as seen.
    async fn check(&self, certificate: &Fingerprint) -> Result<EdgeCertificate, NotAdmitted> {
        let unavailable = |error: db::Error| NotAdmitted::Unavailable(error.into());
        let now = self.0.clock.now();
        let mut conn = self.0.db.acquire().await.map_err(unavailable)?;
        let found = store::list_of(&mut conn, &[*certificate]).await;
        let edge = found.map_err(unavailable)?.pop().ok_or(Refusal::Unknown)?;
        edge.check(now)?;
        let seen = store::touch(&mut conn, &[*certificate], now).await;
        seen.map_err(unavailable)?;
        Ok(edge)
    }
}

impl Lookup for Asker {
    async fn look_up(&self, hash: &KeyHash) -> Result<Option<(EnvId, Version)>, NotNow> {
        let found = Self::look_up(self, hash).await?;
        Ok(found.map(|(env_id, version)| (env_id.into(), version)))
    }
}

/// The message to an edge about internal faults.
const UNAVAILABLE: &str = "the control plane cannot issue certificates now";

fn refuse(error: &RenewError) -> String {
    if error.is_fault() {
        count("failed");
        tracing::warn!(
            error = chain(error),
            "cannot renew the certificate of an edge"
        );
        UNAVAILABLE.to_owned()
    } else {
        count("refused");
        error.to_string()
    }
}

fn count(result: &'static str) {
    metrics::counter!("halyard_edge_renewals_total", "result" => result).increment(1);
}
