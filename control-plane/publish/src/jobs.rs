//! The background jobs of publishing.

use std::sync::Arc;

use tokio_util::task::TaskTracker;

use super::{Publisher, fleet::Gauges, poll::Poller};
use base::jobs::{
    HOUR, Job, MINUTE,
    RunsOn::{EveryReplica, Leader},
    SECOND,
};

impl Publisher {
    /// The jobs of publishing. Answers to other replicas that are in progress when the process stops are among `tasks`.
    pub fn jobs(&self, tasks: &TaskTracker) -> [Job; 11] {
        let poller = Arc::new(Poller::new(Arc::clone(&self.0)));
        [
            Job::new("poll_changes", SECOND, EveryReplica, poller, Poller::poll)
                .woken_by(self.0.db.changed())
                .meanwhile("cannot poll for changes; edges keep serving what they hold"),
            self.0.replicas.job(self.clone(), tasks),
            // A revoked edge is disconnected within this time and one query; three seconds are promised.
            Job::new(
                "check_edge_certificates",
                SECOND,
                EveryReplica,
                self.clone(),
                Self::check_certificates,
            )
            .meanwhile("cannot check the certificates of edges"),
            Job::new(
                "load_signing_keys",
                MINUTE,
                EveryReplica,
                self.clone(),
                Self::load_signing_keys,
            )
            .meanwhile("keys that are to sign are not known yet"),
            Job::new(
                "sign_timestamp",
                MINUTE,
                EveryReplica,
                self.clone(),
                Self::sign_timestamp,
            )
            .meanwhile("that nothing is newer than what edges serve is not proven"),
            Job::new(
                "follow_rehearsals",
                SECOND,
                EveryReplica,
                self.clone(),
                Self::follow_rehearsals,
            )
            .woken_by(&self.0.rehearsing)
            .meanwhile(
                "rehearsals of an outage begin and are stopped late; they end by themselves",
            ),
            Job::new(
                "follow_what_if",
                SECOND,
                EveryReplica,
                self.clone(),
                Self::follow_what_if,
            )
            .woken_by(&self.0.asking)
            .meanwhile("edges are told late of what is sampled and asked"),
            Job::new(
                "forget_questions",
                10 * MINUTE,
                Leader,
                self.clone(),
                Self::forget_questions,
            )
            .meanwhile("questions about drafts are kept for longer"),
            Job::new(
                "record_edges_seen",
                MINUTE,
                EveryReplica,
                self.clone(),
                Self::record_edges_seen,
            )
            .meanwhile("cannot record that edges were seen"),
            Job::new(
                "update_edge_gauges",
                5 * SECOND,
                EveryReplica,
                Arc::clone(&self.0.gauges),
                Gauges::update,
            ),
            Job::new(
                "prune_tombstones",
                HOUR,
                Leader,
                self.clone(),
                Self::prune_tombstones,
            )
            .meanwhile("tombstones are kept for longer"),
        ]
    }
}
