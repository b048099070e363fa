//! What the edits of a set do to what is there now.

use std::sync::Arc;

use serde::Serialize;
use serving::clock::Clock;
use sqlx::types::Json;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{
    input::Edits,
    model::ChangeSet,
    store::{self, Stored},
};
use crate::{
    approvals::mail::Announcements,
    content::{
        self, Acting, Found, Plan, Tried, conflicts,
        parts::{Fields, Part},
    },
    environments::model::Environment,
    members::caller::Caller,
    unit::{Expected, Unit},
};
use base::{
    blocking::blocking,
    db::Db,
    ids::{OrgId, ProjectId},
    input::Invalid,
    refusal::{Conflict, Conflicts, Missing, Refusal},
};

/// Things of a set.
const MAX_PARTS: usize = 1_000;
/// Bytes of edits and parts.
const MAX_BYTES: usize = 4 * 1024 * 1024;

const MOVED: &str = "what the change set changes has changed since it was drafted: look at the difference, and send its version as \
                     seen_version, or update the draft";
const MOVED_SINCE_APPROVAL: &str = "what the change set changes has changed since it was approved: reopen it, update the draft, and \
                                    let it be approved again";

/// Edits, and what they do at a version of the project.
pub struct Planned {
    pub plan: Plan,
    pub found: Arc<Found>,
    pub changes: Fields,
    pub parts: Vec<Part>,
}

/// What a set would do now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangeSetDifference)]
pub struct Difference {
    /// The project's version that it was compared with, to be given as `seen_version`.
    pub version: i64,
    /// What it does, thing by thing; none of it for those who may not read flags, segments and environments.
    pub parts: Vec<Part>,
    /// What has changed since the draft, to something else than the set asks for.
    pub conflicts: Vec<Conflict>,
    /// Slugs of the protected environments in which it has an effect; empty where `refusal` says that it cannot be told.
    pub protected: Vec<String>,
    /// How many people must approve it: the largest number of those environments.
    pub required_approvals: i32,
    /// Why the caller could not apply it now, its approvals apart.
    #[schema(required)]
    pub refusal: Option<String>,
}

/// Plans edits without a lock.
pub async fn plan(
    db: &Db,
    org_id: OrgId,
    project_id: ProjectId,
    edits: Edits,
    now: OffsetDateTime,
) -> Result<Planned, Refusal> {
    let found = content::find(db, org_id, project_id, &edits.read).await?;
    plan_found(found, edits, now).await
}

/// Plans the edits of a stored set. Refuses one that changes what is gone.
pub async fn plan_stored(
    db: &Db,
    caller: &Caller,
    set: &ChangeSet,
    now: OffsetDateTime,
) -> Result<Planned, Refusal> {
    let changes = set.changes.as_ref().map(|changes| changes.0.clone());
    let edits = Edits::stored(changes.unwrap_or_default())?;
    let found = content::find(db, caller.org_id, set.project_id, &edits.read).await?;
    // An edit of what is gone would be the creation of something without its other fields.
    let gone = conflicts::gone(set.parts(), |thing| thing.is_in(&found));
    if !gone.is_empty() {
        let conflicts = Conflicts::new(MOVED, gone, found.version(), content::reads_all(caller));
        return Err(Refusal::Conflicts(Box::new(conflicts)));
    }
    plan_found(found, edits, now).await
}

async fn plan_found(found: Found, edits: Edits, now: OffsetDateTime) -> Result<Planned, Refusal> {
    let planned = blocking(move || {
        let plan = Plan::make(&edits.read, &found, now)?;
        let parts = plan.parts(&edits.given, &found);
        check_versions(&edits, &parts, plan.version)?;
        Ok::<_, Refusal>(Planned {
            plan,
            found: Arc::new(found),
            changes: edits.given,
            parts,
        })
    });
    planned.await
}

fn check_versions(edits: &Edits, parts: &[Part], current_version: i64) -> Result<(), Refusal> {
    let mut conflicts = Vec::new();
    for (place, version) in &edits.versions {
        let Some(part) = parts.iter().find(|part| part.thing.place() == *place) else {
            let words = format!("versions.{place}: the changes have no such thing");
            return Err(Refusal::invalid(words));
        };
        if part.version != *version {
            conflicts.push(Conflict {
                kind: part.thing.kind.as_str(),
                key: part.thing.key.clone(),
                env_slug: part.thing.env_slug.clone(),
                field: Some("version".to_owned()),
                base: (*version).into(),
                proposed: (*version).into(),
                current: part.version.into(),
            });
        }
    }
    if conflicts.is_empty() {
        return Ok(());
    }
    let words = "changed meanwhile: things have other versions than given";
    let conflicts = Conflicts::new(words, conflicts, current_version, true);
    Err(Refusal::Conflicts(Box::new(conflicts)))
}

impl Planned {
    /// The project's version that the plan was made for.
    pub const fn version(&self) -> i64 {
        self.plan.version
    }

    /// Bytes of what is stored; refuses what is too much.
    pub(super) fn measure(&self) -> Result<usize, Invalid> {
        if self.parts.len() > MAX_PARTS {
            return Err(Invalid::new("changes must have at most 1,000 things"));
        }
        if self.parts.is_empty() {
            return Err(Invalid::new("changes must have something to change"));
        }
        let length =
            |json: Result<Vec<u8>, serde_json::Error>| json.map_or(MAX_BYTES, |it| it.len());
        let bytes =
            length(serde_json::to_vec(&self.changes)) + length(serde_json::to_vec(&self.parts));
        if bytes > MAX_BYTES {
            return Err(Invalid::new(
                "changes and what they replace must have at most 4 MiB",
            ));
        }
        Ok(bytes)
    }

    /// Stores it as the contents of a set, which are compared with what is there from now on.
    pub(super) async fn store(self, unit: &mut Unit, set: &mut ChangeSet) -> Result<(), Refusal> {
        let bytes = self.measure()?;
        set.base_version = self.version();
        let stored = Stored {
            set,
            changes: &self.changes,
            parts: &self.parts,
            bytes,
        };
        let org_id = unit.org_id();
        store::replace(unit, org_id, stored).await?;
        set.changes = Some(Json(self.changes));
        set.parts = Some(Json(self.parts));
        Ok(())
    }

    /// What has changed since a set was drafted, without values for those who may not read them.
    pub fn conflicts(&self, drafted: &ChangeSet, caller: &Caller) -> Vec<Conflict> {
        self.found_conflicts(drafted, caller).conflicts
    }

    fn found_conflicts(&self, drafted: &ChangeSet, caller: &Caller) -> Conflicts {
        let conflicts = conflicts::find(drafted.parts(), &self.parts);
        let words = if drafted.is_approved() {
            MOVED_SINCE_APPROVAL
        } else {
            MOVED
        };
        Conflicts::new(words, conflicts, self.version(), content::reads_all(caller))
    }

    /// Refuses a set over what has changed since it was drafted, unless somebody has seen this version; once it is approved, over
    /// what has changed since then.
    pub fn check_conflicts(
        &self,
        drafted: &ChangeSet,
        seen_version: Option<i64>,
        caller: &Caller,
    ) -> Result<(), Refusal> {
        if seen_version == Some(self.version()) && !drafted.is_approved() {
            return Ok(());
        }
        let found = self.found_conflicts(drafted, caller);
        if found.conflicts.is_empty() {
            return Ok(());
        }
        Err(Refusal::Conflicts(Box::new(found)))
    }
}

/// The protected environments that a plan has an effect in, by trying it in a transaction that is rolled back; `None` if the project
/// has changed since the plan was made. Refuses what its application would be refused for, its approvals apart.
pub async fn rehearse(
    unit: Unit,
    clock: &Clock,
    set: &ChangeSet,
    plan: Plan,
    caller: &Caller,
    announcements: Announcements<'_>,
) -> Result<Option<Vec<Environment>>, Refusal> {
    plan.check_rights(caller)?;
    let mut unit = unit.as_dry_run().as_change_set(set.id);
    let project = unit.lock_project(clock, set.project_id).await?;
    let mut project = project.ok_or(Missing::Project)?;
    let acting = Acting {
        caller,
        expected: &Expected::Any,
        announcements,
        note: "",
    };
    match content::apply(&mut project, plan, acting).await? {
        Tried::Done(_) => {}
        Tried::Outdated => return Ok(None),
    }
    super::apply::passed(&mut project).await.map(Some)
}

/// How many people these environments want.
pub fn required(environments: &[Environment]) -> i32 {
    let numbers = environments.iter().map(|env| env.required_approvals);
    numbers.max().unwrap_or(0)
}
