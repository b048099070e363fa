//! An import as a job: it begins with a row and a lock, and ends with a row that says how.
//!
//! The process that runs an import holds an advisory lock in a session of its own for as long as it does. Postgres releases the lock
//! with the session: at once when the process ends, and after seconds of silence when it is frozen or cut off. So whether an import
//! still runs can be asked for at any time, also right after a restart, and an import that nobody runs is failed by whoever leads.
//! The credential is in the memory of the process alone, so nobody can go on with it; what is imported stays, and another
//! import of the same source goes on from there, because it finds what is there already.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use serving::{error::chain, trace};
use sqlx::PgConnection;
use tokio::{
    runtime::Handle,
    time::{sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;

use super::{
    Migrations,
    input::CheckedSource,
    store::{self, Ended, NewMigration, Running},
    write::write,
};
use crate::{
    events::{Action, Actor, Event, Subject},
    members::{self, caller::Caller, model::Role},
    roles::keys::{MigrationRun, Permission as _},
    unit::{Committed, Unit},
};
use base::{
    db,
    ids::{MigrationId, ProjectId},
    limits::{Bound, Permit},
    refusal::{Missing, Refusal},
};

/// How often the session that holds an import's lock says that it is there.
const ASSURE: Duration = Duration::from_secs(1);
/// A database that takes longer to answer counts as lost.
const PATIENCE: Duration = Duration::from_secs(3);

const STOPPED: &str =
    "the service was stopped; another import of the same source goes on from here";
const LOST: &str = "the database was lost; another import of the same source goes on from here";
const ENDED: &str = "a member ended the import; what it had imported stays";
const NOT_ALLOWED: &str =
    "whoever started the import may not import any more; what it had imported stays";
const ABANDONED: &str =
    "the service ended unexpectedly; another import of the same source goes on from here";

pub(super) struct Import {
    pub(super) running: Running,
    pub(super) project_id: ProjectId,
    source: CheckedSource,
    _permit: Permit,
}

impl Import {
    pub(super) const fn actor(&self) -> Actor {
        actor(self.running)
    }
}

const fn actor(running: Running) -> Actor {
    Actor::Import {
        id: running.id,
        started_by: running.started_by,
    }
}

impl Migrations {
    /// Refuses another import into a project that has one running.
    pub async fn refuse_second(
        &self,
        caller: &Caller,
        project_id: ProjectId,
    ) -> Result<(), Refusal> {
        let mut conn = self.db.acquire().await?;
        if store::is_running(&mut conn, caller.org_id, project_id).await? {
            return Err(Refusal::conflict("an import into this project is running"));
        }
        Ok(())
    }

    pub async fn start(
        self: &Arc<Self>,
        caller: &Caller,
        project_id: ProjectId,
        source: CheckedSource,
        flags_total: usize,
    ) -> Result<MigrationId, Refusal> {
        let permit = self.running.try_enter(caller.org_id);
        let permit = permit.map_err(|full| match full.bound {
            Bound::Share => Refusal::conflict(full.words),
            Bound::Total => full.into(),
        })?;
        let now = self.clock.now();
        let running = Running {
            id: MigrationId::new(now),
            org_id: caller.org_id,
            started_by: caller.user_id,
        };
        // Postgres ends a session that has been silent for this long.
        let silence = Duration::from_secs(5);
        let session = timeout(PATIENCE, store::hold(self.db.pool(), running.id, silence)).await;
        let session = session.map_err(|_| Refusal::Unavailable {
            words: "the database is busy",
            retry_after: Some(ASSURE),
        })??;

        let mut unit = Unit::begin(&self.db, caller.org_id, caller.actor(), now).await?;
        let new = NewMigration {
            id: running.id,
            org_id: caller.org_id,
            project_id,
            provider: source.provider,
            started_by: caller.user_id,
            flags_total: flags_total.try_into().unwrap_or(i32::MAX),
        };
        store::forget_oldest(&mut unit, caller.org_id).await?;
        store::insert(&mut unit, &new, now).await?;
        let event = Event::new(Action::MigrationStarted, Subject::Migration(running.id))
            .in_project(project_id)
            .with(json!({"provider": source.provider, "source": source.origin()}));
        let recorded = unit.record(event, running.id).await?;
        let Committed { made: id, .. } = unit.commit(recorded).await?;

        let import = Import {
            running,
            project_id,
            source,
            _permit: permit,
        };
        let this = Arc::clone(self);
        let runtime = Handle::current();
        let work = trace::carried(async move { this.run(import, session).await });
        // On a thread of its own: what is between two answers of the database takes seconds of large sources, and a runtime whose
        // other threads sleep hears of nothing while one works.
        self.tasks.spawn_blocking(move || runtime.block_on(work));
        Ok(id)
    }

    async fn run(&self, import: Import, session: PgConnection) {
        let id = import.running.id;
        tracing::info!(migration.id = %id, org.id = %import.running.org_id, "an import begins");
        // A task of the runtime: a long stretch of work here must not keep the session silent.
        let mut lock = AbortOnDropHandle::new(tokio::spawn(keep(session, import.running)));
        let outcome = tokio::select! {
            outcome = self.import(&import) => outcome.map_err(|refusal| self.words_of(id, refusal)),
            Ok(ended) = &mut lock => Err(ended.unwrap_or_else(|error| {
                tracing::error!(migration.id = %id, error = chain(&error), "an import lost its lock");
                LOST
            }).to_owned()),
            () = self.stop.cancelled() => Err(STOPPED.to_owned()),
        };
        let failure = outcome.err();
        let actor = import.actor();
        let ended = self.end(import.running, actor, failure.as_deref());
        match ended.await {
            Ok(()) => tracing::info!(migration.id = %id, failure, "an import has ended"),
            // The lock ends with this process's session, and whoever leads ends the import then.
            Err(error) => tracing::error!(
                migration.id = %id,
                error = chain(&error),
                "the end of an import was not stored"
            ),
        }
    }

    async fn import(&self, import: &Import) -> Result<(), Refusal> {
        let Running { org_id, .. } = import.running;
        let half_an_hour = Duration::from_secs(30 * 60);
        let source = self.source(org_id, &import.source, half_an_hour)?;
        let prepared = self.prepare(org_id, import.project_id, &source).await?;
        // Others wait for the turn for as long as the plan is in memory, and the credential is needed no more.
        let _turn = source.api.into_turn();
        write(self, import, prepared).await
    }

    /// Why an import failed, for whoever started it.
    fn words_of(&self, id: MigrationId, refusal: Refusal) -> String {
        match refusal {
            Refusal::Database(_) | Refusal::Fault(_) => {
                tracing::error!(migration.id = %id, error = chain(&refusal), "an import fails");
                "internal error".to_owned()
            }
            refusal => refusal.to_string(),
        }
    }

    /// Ends an import for a member. Whoever runs it hears of that within a second, and writes nothing of it any more.
    pub async fn end_early(&self, caller: &Caller, id: MigrationId) -> Result<(), Refusal> {
        let (org_id, now) = (caller.org_id, self.clock.now());
        let mut unit = Unit::begin(&self.db, org_id, caller.actor(), now).await?;
        if let Some(ended) = store::end(&mut unit, org_id, id, Some(ENDED), now).await? {
            let recorded = unit.record(event(id, ended, Some(ENDED)), ()).await?;
            let Committed { .. } = unit.commit(recorded).await?;
            return Ok(());
        }
        let outcome = store::find_outcome(&mut unit, org_id, id).await?;
        match outcome.ok_or(Missing::Migration)?.failure.as_deref() {
            Some(ENDED) => Ok(()),
            _ => Err(Refusal::conflict("the import has ended already")),
        }
    }

    /// Stores that an import has ended, and how. Does nothing where that is stored already.
    async fn end(
        &self,
        running: Running,
        actor: Actor,
        failure: Option<&str>,
    ) -> Result<(), Refusal> {
        let now = self.clock.now();
        let unit = Unit::begin(&self.db, running.org_id, actor, now).await?;
        end_within(unit, running, failure).await.map(drop)
    }

    /// Fails the imports that nobody runs any more.
    pub(super) async fn fail_abandoned(self: Arc<Self>) -> Result<(), Refusal> {
        let running = store::list_running(&mut *self.db.acquire().await?).await?;
        for running in running {
            let mut tx = self.db.begin().await?;
            if !store::is_abandoned(&mut tx, running.id).await? {
                continue;
            }
            let now = self.clock.now();
            let unit = Unit::within(tx, running.org_id, actor(running), now);
            if !end_within(unit, running, Some(ABANDONED)).await? {
                continue;
            }
            tracing::warn!(migration.id = %running.id, "an import was abandoned by its process");
        }
        Ok(())
    }
}

/// `false` where the import had ended already.
async fn end_within(
    mut unit: Unit,
    running: Running,
    failure: Option<&str>,
) -> Result<bool, Refusal> {
    let now = unit.now();
    let ended = store::end(&mut unit, running.org_id, running.id, failure, now).await?;
    let Some(ended) = ended else { return Ok(false) };
    let recorded = unit.record(event(running.id, ended, failure), ()).await?;
    let Committed { .. } = unit.commit(recorded).await?;
    Ok(true)
}

fn event(id: MigrationId, ended: Ended, failure: Option<&str>) -> Event {
    let action = match failure {
        None => Action::MigrationCompleted,
        Some(_) => Action::MigrationFailed,
    };
    Event::new(action, Subject::Migration(id))
        .in_project(ended.project_id)
        .with(json!({
            "provider": ended.provider,
            "flags_imported": ended.flags_imported,
            "flags_total": ended.flags_total,
            "environments_imported": ended.environments_imported,
            "segments_imported": ended.segments_imported,
            "failure": failure,
        }))
}

/// Refuses to go on with the import of somebody who may not import any more.
pub(super) async fn require_starter(
    conn: &mut PgConnection,
    running: Running,
) -> Result<(), Refusal> {
    let Running {
        org_id, started_by, ..
    } = running;
    let may_import = members::store::find_standing(conn, org_id, started_by)
        .await?
        .is_some_and(|(_, role, keys)| {
            let has_key = keys.is_none_or(|keys| MigrationRun::NEEDS.is_met_by(&keys));
            matches!(role, Role::Owner | Role::Admin) && has_key
        });
    may_import
        .then_some(())
        .ok_or(Refusal::Forbidden(NOT_ALLOWED))
}

/// Keeps the lock. Tells why the import has to end; an error says that the lock may be lost.
async fn keep(mut session: PgConnection, running: Running) -> Result<&'static str, db::Error> {
    loop {
        sleep(ASSURE).await;
        let look = timeout(PATIENCE, reason_to_end(&mut session, running)).await;
        if let Some(reason) = look.map_err(|_| sqlx::Error::PoolTimedOut)?? {
            return Ok(reason);
        }
    }
}

async fn reason_to_end(
    session: &mut PgConnection,
    running: Running,
) -> Result<Option<&'static str>, db::Error> {
    let outcome = store::find_outcome(session, running.org_id, running.id).await?;
    if !outcome.is_some_and(|outcome| outcome.is_running) {
        return Ok(Some(ENDED));
    }
    match require_starter(session, running).await {
        Ok(()) => Ok(None),
        Err(Refusal::Database(error)) => Err(error),
        Err(_) => Ok(Some(NOT_ALLOWED)),
    }
}
