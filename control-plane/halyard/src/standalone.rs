//! The built-in edge: the same code as a separate one, fed in process. So one address answers everything, and a first
//! evaluation needs one process.
//!
//! The only place of the control plane that names `edge_node`. It belongs to the binary; the tests' harness includes the same
//! file, so that what they test is what runs.

use base::lifetime::Lifetime;
use std::sync::Arc;

use crate::service::Service;
use api::{app, state::AppState};
use base::jobs::{Job, RunsOn};
use domain::usage::{Collector, NotStored, Reporter};
use edge_node::{Edge, EdgeSettings, KeyLookup, Listing, Located, METRICS, Outcome, Unavailable};
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
use utoipa::openapi::OpenApi;

/// Reads how the built-in edge serves.
pub fn settings(reader: &mut Reader<'_>) -> EdgeSettings {
    EdgeSettings::load(reader)
}

/// What edges say of their paths.
pub fn evaluation() -> OpenApi {
    edge_node::document()
}

/// The API document of the whole service.
pub fn document() -> OpenApi {
    app::document(evaluation())
}

/// Starts the built-in edge of a control plane. It serves what that publishes until the control plane stops.
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

/// Has everything stored that the edge counted until now.
///
/// # Errors
/// When the rest is left to the next time.
pub async fn report(edge: &Edge, usage: &Collector) -> Result<(), NotStored> {
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
    let mut applying = Applying::new(move |push: &Push| applied_to.apply(push));
    loop {
        let has_room = applying.has_room_for_wholes();
        let message = tokio::select! {
            Some(applied) = applying.next() => {
                tell(&link, &edge, applied);
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
                // What was sent before is not waited for by anybody now: the edge is asked what it holds.
                applying.finish().await;
                edge.set_stream_secret(&stream_secret);
                let listing = Listing {
                    environments,
                    confirmed: Vec::new(),
                };
                edge.expect(epoch, &listing);
            }
            LocalMessage::Looked(epoch, looked) => edge.confirmed(epoch, looked),
            LocalMessage::Push(push) => applying.add(push),
            LocalMessage::FlushUsage { request } => {
                // What is not stored is not flushed either, and stays for the next time.
                report(&edge, &usage).await.unwrap_or_default();
                link.flushed(request);
            }
        }
    }
}

fn tell<H: Fn() -> (Option<Epoch>, Vec<Held>)>(
    link: &LocalLink<H>,
    edge: &Edge,
    applied: Applied<Outcome>,
) {
    let env_id = applied.env_id;
    match applied.outcome {
        Ok(Outcome::Applied { env_id, version }) => link.acknowledge(env_id, version),
        Ok(Outcome::Removed { env_id }) => link.acknowledge(env_id, 0),
        Ok(Outcome::Resync { env_id }) => link.lose(env_id),
        // What is served already is what the push would have led to, or newer.
        Ok(Outcome::Ignored) => link.acknowledge(env_id, edge.version(env_id).unwrap_or(0)),
        Err(NotApplied::Full(_)) => link.lose(env_id),
        Err(NotApplied::Panicked(error)) => {
            tracing::error!(env.id = %env_id, error = chain(&error), "the built-in edge could not apply a change");
            link.lose(env_id);
        }
    }
}

/// Looks keys up where they are stored: one that was created a moment ago works before the edge was told.
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
