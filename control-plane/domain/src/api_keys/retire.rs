//! Removes expired keys from edges, and in the end from the list.
//!
//! Edges refuse expired keys by themselves, so this changes no answer. But a key rotated every minute would leave an expired
//! one behind each time, in every snapshot.

use serving::clock::Clock;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use super::{model::COMPILED_BYTES, store};
use crate::{
    environments,
    events::Actor,
    unit::Unit,
    version::{Growth, Scope},
};
use base::{
    db::{self, Db},
    ids::{EnvId, OrgId},
    jobs::sweep::{self, Sweep, SweepError},
    refusal::Refusal,
};

struct Retire<'a> {
    db: &'a Db,
    clock: &'a Clock,
    /// Keys that expired before this are removed from edges.
    until: OffsetDateTime,
}

pub async fn retire(db: &Db, clock: &Clock) -> Result<(), SweepError> {
    // An expired key stays on edges for a minute: where their clocks still count it as usable, it would be looked up.
    let until = clock.now() - Duration::MINUTE;
    sweep::sweep(db, &Retire { db, clock, until }).await
}

impl Sweep for Retire<'_> {
    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        store::list_orgs_of_expired(conn, self.until, after, sweep::BATCH).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        let environments =
            store::list_environments_of_expired(&mut *self.db.acquire().await?, org_id, self.until)
                .await?;
        for env_id in environments {
            self.retire_in(org_id, env_id).await?;
        }
        Ok(())
    }
}

impl Retire<'_> {
    async fn retire_in(&self, org_id: OrgId, env_id: EnvId) -> Result<(), Refusal> {
        let mut unit = Unit::begin(self.db, org_id, Actor::System, self.clock.now()).await?;
        let project = environments::store::find_project(&mut unit, org_id, env_id).await?;
        let Some(project_id) = project else {
            return Ok(());
        };
        let Some(mut project) = unit.lock_project(self.clock, project_id).await? else {
            return Ok(());
        };
        let expired = store::count_expired(&mut project, org_id, env_id, self.until).await?;
        if expired == 0 {
            return Ok(());
        }
        let growth = Growth {
            state_bytes: -expired * COMPILED_BYTES,
            ..Growth::default()
        };
        let drawn = project.draw(Scope::Environment(env_id), growth).await?;
        let now = project.now();
        store::retire_expired(&mut project, org_id, env_id, self.until, now, drawn).await?;
        unit.commit_upkeep().await?;
        Ok(())
    }
}
