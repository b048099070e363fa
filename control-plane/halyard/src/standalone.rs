//! The built-in edge: the same code as a separate one, fed in process. So one address and one process serve everything.
//!
//! The only part of the control plane that names `edge_node`.

use base::lifetime::Lifetime;
use std::sync::Arc;

use crate::service::Service;
use api::{app, state::AppState};
use base::jobs::{Job, RunsOn};
use bytes::Bytes;
use domain::usage::{Collector, NotStored, Reporter};
pub use edge_node::Edge;
use edge_node::{EdgeSettings, KeyLookup, Listing, Located, METRICS, Outcome, Unavailable};
use futures_util::future::BoxFuture;
use protocol::{
    snapshot::KeyHash,
    wire::{
        message::{Epoch, Held, Push},
        usage::UsageBatch,
    },
};
use publish::{Applied, Applying, Asker, LocalLink, LocalMessage, NotApplied, NotNow, Regions};
use serving::{error::chain, settings::Reader, telemetry::describe};
use tokio::sync::mpsc;
use utoipa::openapi::OpenApi;

/// Reads the settings of the built-in edge.
pub fn settings(reader: &mut Reader<'_>) -> EdgeSettings {
    EdgeSettings::load(reader)
}

/// The API document of the edges' endpoints.
pub fn evaluation() -> OpenApi {
    edge_node::document()
}

/// The API document of the whole service.
pub fn document() -> OpenApi {
    app::document(evaluation())
}

/// Starts the built-in edge of a control plane, until the control plane stops.
pub fn start(service: &Service, settings: EdgeSettings, lifetime: &Lifetime) -> Edge {
    let AppState {
        publisher, clock, ..
    } = &service.state;
    let lookup = Arc::new(InProcess(publisher.asker(Regions::All)));
    let flush_interval = settings.usage_flush_interval;
    describe(METRICS);
    let edge = Edge::new(settings, clock.clone(), Some(lookup));
    let usage = publisher.usage().clone();
    let reporting = (edge.clone(), usage.clone());
    let job = Job::new(
        "report_built_in_usage",
        flush_interval,
        RunsOn::EveryReplica,
        reporting,
        async |(edge, usage)| report(&edge, &usage).await,
    );
    service
        .jobs
        .start(job.meanwhile("the built-in edge keeps what it counted"));
    let held = edge.clone();
    let link = publisher.connect_local(move || held.holds());
    let feeding = feed(link, edge.clone(), usage);
    let feeding = lifetime.stop.clone().run_until_cancelled_owned(feeding);
    lifetime.tasks.spawn(feeding);
    edge
}

/// Stores all counters of the edge.
///
/// # Errors
/// When the rest is left for the next call.
pub async fn report(edge: &Edge, usage: &Collector) -> Result<(), NotStored> {
    let told = edge.take_defaults();
    if !told.is_empty() {
        usage.told(Reporter::built_in(), told);
    }
    edge.collect_usage();
    while let Some(batch) = edge.oldest_usage() {
        let sent = UsageBatch::clone(&batch);
        usage.store(Reporter::built_in(), sent).await?;
        edge.usage_stored(batch.boot, batch.sequence);
    }
    Ok(())
}

async fn feed<H: Fn() -> (Option<Epoch>, Vec<Held>)>(
    mut link: LocalLink<H>,
    edge: Edge,
    usage: Collector,
) {
    let applied_to = edge.clone();
    let mut applying =
        Applying::new(move |push: &Push, bytes: &Bytes| applied_to.apply_signed(push, bytes));
    let (found, mut findings) = mpsc::channel(1);
    loop {
        let has_room = applying.has_room_for_wholes();
        let message = tokio::select! {
            Some(applied) = applying.next() => {
                answer(&link, &edge, applied);
                continue;
            }
            Some(finding) = findings.recv() => {
                link.found(finding).await;
                continue;
            }
            message = link.next(has_room) => message,
        };
        match message {
            LocalMessage::Welcome {
                epoch,
                environments,
                stream_secret,
            } => {
                // Nothing waits for earlier pushes now: the edge's contents are read again.
                applying.finish().await;
                edge.set_stream_secret(&stream_secret);
                let listing = Listing {
                    environments,
                    confirmed: Vec::new(),
                };
                edge.expect(epoch, &listing);
            }
            LocalMessage::Timestamp(register) => edge.stamp(register),
            LocalMessage::Rehearsals(running) => edge.rehearse(&running),
            LocalMessage::Sampled(all) => edge.sample(&all),
            LocalMessage::Question(signed) => {
                edge.question(&signed, found.clone());
            }
            LocalMessage::Looked(epoch, looked) => edge.confirmed(epoch, looked),
            LocalMessage::Push(push, bytes) => applying.add(*push, bytes),
            LocalMessage::FlushUsage { request } => {
                // Counters that cannot be stored are not flushed either, and stay for the next time.
                report(&edge, &usage).await.unwrap_or_default();
                link.flushed(request);
            }
        }
    }
}

/// Answers a push.
fn answer<H: Fn() -> (Option<Epoch>, Vec<Held>)>(
    link: &LocalLink<H>,
    edge: &Edge,
    applied: Applied<Outcome>,
) {
    let env_id = applied.env_id;
    match applied.outcome {
        Ok(Outcome::Applied { env_id, version }) => link.acknowledge(env_id, version),
        Ok(Outcome::Removed { env_id }) => link.acknowledge(env_id, 0),
        Ok(Outcome::Resync { env_id }) => link.lose(env_id),
        // The served version is the push's, or newer.
        Ok(Outcome::Ignored) => link.acknowledge(env_id, edge.version(env_id).unwrap_or(0)),
        Err(NotApplied::Full(_)) => link.lose(env_id),
        Err(NotApplied::Panicked(error)) => {
            tracing::error!(env.id = %env_id, error = chain(&error), "the built-in edge could not apply a change");
            link.lose(env_id);
        }
    }
}

/// Looks keys up in the database: a new key works before the edge is notified.
struct InProcess(Asker);

impl KeyLookup for InProcess {
    fn is_reachable(&self) -> bool {
        true
    }

    fn look_up(&self, hash: KeyHash) -> BoxFuture<'static, Result<Option<Located>, Unavailable>> {
        let asker = self.0.clone();
        Box::pin(async move {
            let found = asker.look_up(&hash).await.map_err(|NotNow| Unavailable)?;
            Ok(found.map(|(env_id, version)| Located {
                env_id: env_id.into(),
                version,
            }))
        })
    }
}
