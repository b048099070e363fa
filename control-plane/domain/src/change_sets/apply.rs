//! Applying a set: all of its parts under the project's lock, as one version, or nothing.

use serving::clock::Clock;
use sqlx::types::Json;
use time::{Duration, OffsetDateTime};

use super::{
    model::{ChangeSet, Status},
    preview::{self, Planned, required},
    store::{self, Stored},
};
use crate::{
    approvals::mail::Announcements,
    content::{self, Acting, Tried},
    environments::{self, model::Environment},
    events::{Action, Actor, Event, Subject},
    members::{self, caller::Caller},
    unit::{Expected, ProjectChange, Recorded, Unit},
};
use base::{
    db::Db,
    ids::{ChangeSetId, ProjectId, UserId},
    input::Comment,
    refusal::{AffectedEnvironment, Guarded, Missing, Refusal},
};

/// The refusal after so many attempts.
pub const BUSY: Refusal = Refusal::Unavailable {
    words: "the project is being changed by others, please try again",
    retry_after: Some(Duration::SECOND.unsigned_abs()),
};

/// How often a plan is made anew for a project that changes meanwhile.
pub const ATTEMPTS: usize = 5;

/// Parts that the entry of the audit log lists; each has an entry of its own.
const TOLD: usize = 20;

const NOT_DRAFTED: &str = "the change set is not a draft: reopen it first";

/// Who applies a set, and how.
pub struct Applying<'a> {
    pub db: &'a Db,
    pub clock: &'a Clock,
    pub caller: &'a Caller,
    pub project_id: ProjectId,
    pub id: ChangeSetId,
    /// The version of the set that the caller has.
    pub expected: &'a Expected,
    /// The version of the project over whose changes it is applied.
    pub seen_version: Option<i64>,
    pub actor: Actor,
    /// Why; the name of the set where nobody says so.
    pub comment: Option<Comment>,
    pub announcements: Announcements<'a>,
}

impl Applying<'_> {
    /// Plans and writes it, again if others change the project in between. The unit is to be committed.
    ///
    /// # Errors
    /// Conflicts, missing approvals, and whatever its parts would be refused for one by one.
    pub async fn run(&self) -> Result<(Unit, Recorded<ChangeSet>), Refusal> {
        for _ in 0..ATTEMPTS {
            if let Some(done) = self.attempt().await? {
                return Ok(done);
            }
        }
        Err(BUSY)
    }

    async fn attempt(&self) -> Result<Option<(Unit, Recorded<ChangeSet>)>, Refusal> {
        let Self { caller, clock, .. } = self;
        let org_id = caller.org_id;
        let (set, planned) = self.plan().await?;
        let comment = match &self.comment {
            Some(comment) => Some(comment.clone()),
            None => Comment::parse(&set.name).ok().flatten(),
        };
        let now = clock.now();
        let unit = Unit::begin(self.db, org_id, self.actor, now).await?;
        let mut unit = unit.with_comment(comment).as_change_set(self.id);
        let locked = store::lock(&mut unit, org_id, self.project_id, self.id).await?;
        let before = locked.ok_or(Missing::ChangeSet)?;
        self.expected.check(before.version)?;
        if before.version != set.version {
            return Ok(None);
        }
        let project = unit.lock_project(clock, self.project_id).await?;
        let mut project = project.ok_or(Missing::Project)?;
        let acting = Acting {
            caller,
            expected: &Expected::Any,
            announcements: self.announcements,
            note: "",
        };
        let Planned {
            plan,
            changes,
            parts,
            ..
        } = planned;
        let recorded = match content::apply(&mut project, plan, acting).await? {
            Tried::Done(recorded) => recorded,
            Tried::Outdated => return Ok(None),
        };
        check_approvals(&mut project, &before).await?;
        let mut applied_version = 0;
        let recorded = recorded.map(|applied| applied_version = applied.version);
        let mut after = before.clone();
        after.status = Status::Applied;
        (after.apply_at, after.failure) = (None, None);
        after.applied_at = Some(now);
        after.applied_by = Some(caller.user_id);
        after.applied_version = Some(applied_version);
        after.touch(now);
        store::update(&mut project, org_id, &after).await?;
        let stored = Stored {
            set: &after,
            changes: &changes,
            parts: &parts,
            bytes: serde_json::to_vec(&(&changes, &parts)).map_or(0, |json| json.len()),
        };
        store::replace(&mut project, org_id, stored).await?;
        let event = event(Action::ChangeSetApplied, &before, &after);
        let told = parts.iter().take(TOLD);
        let told: Vec<_> = told.map(|part| (&part.thing, part.action)).collect();
        let event = event.note("parts", &told).note("parts_total", &parts.len());
        after.changes = Some(Json(changes));
        after.parts = Some(Json(parts));
        let told = project.record(event, after).await?;
        Ok(Some((unit, recorded.and(told).map(|((), after)| after))))
    }

    /// The set, planned for what is there.
    async fn plan(&self) -> Result<(ChangeSet, Planned), Refusal> {
        let org_id = self.caller.org_id;
        let mut conn = self.db.acquire().await?;
        let set = store::find(&mut conn, org_id, self.project_id, self.id).await?;
        drop(conn);
        let set = set.ok_or(Missing::ChangeSet)?;
        check_ready(&set)?;
        let planned = preview::plan_stored(self.db, self.caller, &set, self.clock.now()).await?;
        planned.plan.check_rights(self.caller)?;
        planned.check_conflicts(&set, self.seen_version, self.caller)?;
        Ok((set, planned))
    }
}

/// Has a set applied at a time, by the right of the caller then.
pub async fn schedule(
    unit: &mut Unit,
    drafted: &ChangeSet,
    at: OffsetDateTime,
    protected: &[Environment],
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<ChangeSet>, Refusal> {
    let org_id = unit.org_id();
    let before = lock(unit, drafted, expected).await?;
    check_ready(&before)?;
    let approvers = valid_approvers(unit, &before).await?;
    refuse_unapproved(&before, protected, approvers.len())?;
    let mut after = before.clone();
    after.status = Status::Scheduled;
    (after.apply_at, after.scheduled_by) = (Some(at), Some(caller.user_id));
    after.failure = None;
    after.touch(unit.now());
    store::update(unit, org_id, &after).await?;
    let event = event(Action::ChangeSetScheduled, &before, &after);
    let after = with_contents_of(after, drafted);
    Ok(unit.record(event, after).await?)
}

/// The row of a set that was read before, locked.
pub(super) async fn lock(
    unit: &mut Unit,
    read: &ChangeSet,
    expected: &Expected,
) -> Result<ChangeSet, Refusal> {
    let org_id = unit.org_id();
    let locked = store::lock(unit, org_id, read.project_id, read.id).await?;
    let locked = locked.ok_or(Missing::ChangeSet)?;
    expected.check(locked.version)?;
    if locked.version != read.version {
        return Err(Refusal::conflict("the change set was changed meanwhile"));
    }
    Ok(locked)
}

pub(super) fn with_contents_of(set: ChangeSet, read: &ChangeSet) -> ChangeSet {
    ChangeSet {
        changes: read.changes.clone(),
        parts: read.parts.clone(),
        ..set
    }
}

pub(super) fn event(action: Action, before: &ChangeSet, after: &ChangeSet) -> Event {
    let subject = Subject::ChangeSet(after.id);
    let event = Event::updated(action, subject, &before.brief(), &after.brief());
    event.in_project(after.project_id)
}

fn check_ready(set: &ChangeSet) -> Result<(), Refusal> {
    Err(Refusal::conflict(match set.status {
        Status::Draft | Status::Approved | Status::Scheduled => return Ok(()),
        Status::Pending => "the change set waits for approvals",
        Status::Applied => "the change set has been applied",
        Status::Rejected | Status::Failed => NOT_DRAFTED,
    }))
}

/// The environments whose protection a unit has passed.
pub(super) async fn passed(change: &mut ProjectChange<'_>) -> Result<Vec<Environment>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let mut environments = Vec::new();
    for env_id in change.passed() {
        let env = environments::store::find(change, org_id, project_id, env_id).await?;
        environments.extend(env);
    }
    Ok(environments)
}

/// Refuses a set without the approvals that the protected environments want which it had an effect in.
async fn check_approvals(change: &mut ProjectChange<'_>, set: &ChangeSet) -> Result<(), Refusal> {
    let protected = passed(change).await?;
    if protected.is_empty() {
        return Ok(());
    }
    let approvers = valid_approvers(change, set).await?;
    refuse_unapproved(set, &protected, approvers.len())
}

/// Those who approved it and may still review, who are locked until the end of the transaction.
async fn valid_approvers(unit: &mut Unit, set: &ChangeSet) -> Result<Vec<UserId>, Refusal> {
    let mut approvers = set.approvers();
    approvers.retain(|id| !set.author_ids.contains(id));
    if approvers.is_empty() {
        return Ok(approvers);
    }
    let org_id = unit.org_id();
    Ok(members::store::hold_reviewers(unit, org_id, &approvers).await?)
}

fn refuse_unapproved(
    set: &ChangeSet,
    protected: &[Environment],
    approvals: usize,
) -> Result<(), Refusal> {
    let wanted = usize::try_from(required(protected)).unwrap_or_default();
    if approvals >= wanted {
        return Ok(());
    }
    let message = format!(
        "the change set has an effect in protected environments, and {approvals} of the {wanted} people who must approve it have \
         done so; {}",
        if set.status == Status::Draft {
            "request approval"
        } else {
            "reopen it, and request approval again"
        }
    );
    let affected = protected.iter().map(|env| AffectedEnvironment {
        id: env.id,
        slug: env.slug.clone(),
        protected: true,
    });
    let guarded = Guarded::new("approval_required", message, affected.collect());
    Err(Refusal::Guarded(Box::new(guarded)))
}
