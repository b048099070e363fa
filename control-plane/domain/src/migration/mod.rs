//! Imports from other platforms: LaunchDarkly, Unleash and Flagsmith, or whatever speaks as they do.
//!
//! A source is read (`source/`, and a reader for each platform), and the crate `importers` turns what was read into a plan in
//! Halyard's terms. From there on platforms do not differ: what cannot be stored is taken out (`fit/`), the rest is compared with the
//! target (`target.rs`) and written in large batches (`write.rs`) by a job that can be watched (`run.rs`). `analyze` does the same up
//! to the comparison.

pub mod answers;
mod batches;
mod dry_run;
pub mod fit;
pub mod flagsmith;
pub mod input;
pub mod launchdarkly;
pub mod model;
pub mod platform;
mod run;
pub mod settings;
pub mod source;
pub mod store;
pub mod target;
pub mod unleash;
mod write;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serving::clock::Clock;
use tokio::time::Instant;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    input::CheckedSource,
    platform::Source,
    settings::MigrationSettings,
    source::{Api, TIMEOUT, Turn},
    target::{Compared, compare},
};
use crate::{members::caller::Caller, version::Publishing};
use base::{
    blocking::blocking,
    db::Db,
    ids::{OrgId, ProjectId},
    input::Invalid,
    jobs::{Job, RunsOn},
    lifetime::Lifetime,
    limits::{self, Limiter},
    outbound::guard::{Guard, Resolver},
    refusal::Refusal,
};

/// What reads sources and imports from them.
pub struct Migrations {
    pub guard: Guard,
    pub settings: MigrationSettings,
    db: Db,
    clock: Clock,
    publisher: Arc<dyn Publishing>,
    reading: Limiter,
    running: Limiter,
    large: Limiter,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Migrations {
    /// Imports that run when the lifetime ends are given up, and are among its tasks until that is stored.
    pub fn new(
        db: Db,
        clock: Clock,
        resolver: Resolver,
        publisher: Arc<dyn Publishing>,
        settings: MigrationSettings,
        lifetime: &Lifetime,
    ) -> Arc<Self> {
        let allowed = settings.allowed.clone();
        Arc::new(Self {
            guard: Guard::with_local_names(allowed, resolver, TIMEOUT),
            settings,
            db,
            clock,
            publisher,
            reading: Limiter::new(limits::SOURCES),
            running: Limiter::new(limits::IMPORTS),
            large: Limiter::new(limits::LARGE_SOURCES),
            stop: lifetime.stop.clone(),
            tasks: lifetime.tasks.clone(),
        })
    }

    /// The job that gives up imports whose process has ended.
    pub fn job(self: &Arc<Self>) -> Job {
        Job::new(
            "fail_abandoned_imports",
            Duration::from_secs(5),
            RunsOn::Leader,
            Arc::clone(self),
            Self::fail_abandoned,
        )
        .meanwhile("imports whose process has ended are shown as running")
    }

    /// Does something with a source for a request: once there is room, and within `patience`.
    pub async fn with_source<T>(
        &self,
        caller: &Caller,
        checked: &CheckedSource,
        patience: Duration,
        work: impl AsyncFnOnce(Source) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let org_id = caller.org_id;
        let source = self.source(org_id, checked, patience)?;
        self.guard.admit("base_url", &checked.base, org_id).await?;
        let _permit = self.reading.enter(org_id).await?;
        checked.log(caller);
        work(source).await
    }

    fn source(
        &self,
        org_id: OrgId,
        checked: &CheckedSource,
        patience: Duration,
    ) -> Result<Source, Invalid> {
        let headers = platform::headers(checked.provider, &checked.credential)
            .ok_or_else(|| Invalid::new("api_key must consist of printable characters"))?;
        let api = Api::new(
            self.guard.clone(),
            self.clock.clone(),
            &checked.base,
            headers,
            checked.credential.clone(),
            Turn::new(self.large.clone(), org_id),
            Instant::now() + patience,
        );
        Ok(Source {
            provider: checked.provider,
            api,
            project: checked.project.clone(),
            choices: checked.choices.clone(),
        })
    }

    /// Reads a source, and compares it with the project that it is imported into.
    pub async fn prepare(
        &self,
        org_id: OrgId,
        project_id: ProjectId,
        source: &Source,
    ) -> Result<Prepared, Refusal> {
        let plan = source.read().await?;
        let totals = PlanTotals {
            counts: plan.counts.clone(),
            segments: plan.source_segments,
            environments: plan
                .environments
                .iter()
                .map(|environment| environment.source.clone())
                .collect(),
            flags: plan.source_flags,
            chosen: source.choices.environments.clone(),
        };
        let now = self.clock.now();
        let fitted = blocking(move || fit::fit(plan, now)).await;
        let mut conn = self.db.acquire().await?;
        let compared = compare(&mut conn, org_id, project_id, fitted, now).await?;
        Ok(Prepared { totals, compared })
    }
}

/// A source that was read, beside its target.
pub struct Prepared {
    pub totals: PlanTotals,
    pub compared: Compared,
}

pub struct PlanTotals {
    pub counts: BTreeMap<&'static str, usize>,
    pub segments: usize,
    /// By their keys there.
    pub environments: Vec<String>,
    /// Flags that are not archived.
    pub flags: usize,
    /// Slugs that were chosen for environments, by their keys there.
    pub chosen: BTreeMap<String, String>,
}
