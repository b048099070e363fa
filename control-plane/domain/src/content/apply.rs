//! Writing a plan under the project's lock, as one change: what is referred to comes before what refers to it, and what goes is
//! looked at last, when nothing of the change names it any more.

use std::collections::BTreeMap;

use super::{
    approvals,
    changes::check_expected,
    granted::Granted,
    model::{Applied, NeededApproval},
    plan::{Plan, StatePlan},
    store,
};
use crate::{
    approvals::mail::Announcements,
    environments,
    flags::{
        self, archive,
        change::{Authority, Wished, write_all},
        edit,
    },
    members::{
        caller::Caller,
        permissions::{self, Allowance, model::Touches},
    },
    segments,
    unit::{Expected, ProjectChange, Recorded},
    version::Scope,
};
use base::{
    ids::EnvId,
    refusal::{AffectedEnvironment, Guarded, Missing, Refusal},
    warning::Warning,
};

/// Warnings that an answer has.
const MAX_WARNINGS: usize = 100;

/// Who changes definitions, and how.
pub struct Acting<'a> {
    pub caller: &'a Caller,
    /// The client's precondition on the project's version.
    pub expected: &'a Expected,
    /// For requests for approval.
    pub announcements: Announcements<'a>,
    /// What reviewers read: the comment, or nothing.
    pub note: &'a str,
}

/// What became of a plan.
#[derive(Debug)]
pub enum Tried {
    Done(Recorded<Applied>),
    /// Nothing was written: the project has another version than the plan was made for.
    Outdated,
}

/// Writes a plan: all of it, or nothing.
pub async fn apply(
    change: &mut ProjectChange<'_>,
    plan: Plan,
    acting: Acting<'_>,
) -> Result<Tried, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let version = store::find_version(change, org_id, project_id).await?;
    let version = version.ok_or(Missing::Project)?;
    check_expected(change, acting.expected, version).await?;
    if version != plan.version {
        return Ok(Tried::Outdated);
    }
    let mut applied = Applied {
        version,
        created: plan.created(),
        updated: plan.updated(),
        removed: plan.removed(),
        unchanged: plan.unchanged,
        approvals: Vec::new(),
        warnings: warnings_of(&plan),
    };
    let mut writing = Writing {
        change,
        caller: acting.caller,
        last: None,
    };
    writing.change.warn(&plan.warnings);
    let Plan {
        environments,
        segments,
        flags,
        states,
        ..
    } = plan;
    writing
        .environments(environments.new, environments.changed)
        .await?;
    writing.restore(&flags.restored).await?;
    let recorded = segments::many::create(writing.change, &segments.new, acting.caller).await?;
    writing.note(recorded);
    let recorded = segments::many::update(writing.change, segments.changed, acting.caller).await?;
    writing.note(recorded);
    let recorded = flags::many::create(writing.change, &flags.new).await?;
    writing.note(recorded);
    let recorded = flags::many::update(writing.change, flags.changed, acting.caller).await?;
    writing.note(recorded);
    let (approvals, counted) = writing
        .states(states, acting.announcements, acting.note)
        .await?;
    (applied.approvals, applied.created.states) = (approvals, counted.created);
    applied.updated.states = counted.updated;
    writing
        .archive(&flags.archived, flags.created_archived)
        .await?;
    for env in environments.removed {
        let any = &Expected::Any;
        let deleted = environments::change::delete(writing.change, env.id, any).await?;
        writing.note(Some(deleted));
    }
    for flag_id in flags.removed {
        let any = &Expected::Any;
        let deleted = edit::delete(writing.change, flag_id, acting.caller, any).await?;
        writing.note(Some(deleted));
    }
    let removed = &segments.removed;
    let recorded = segments::many::delete(writing.change, removed, acting.caller).await?;
    writing.note(recorded);

    let Writing { change, last, .. } = writing;
    if !change.is_dry_run() {
        applied.version = change.drawn_version().unwrap_or(version);
    }
    Ok(Tried::Done(match last {
        Some(recorded) => recorded.map(|()| applied),
        None => {
            change
                .unchanged_since(version, Scope::Project, applied)
                .await?
        }
    }))
}

/// The first warnings, with their places in the body.
fn warnings_of(plan: &Plan) -> Vec<Warning> {
    let of_states = plan.states.iter().flat_map(|state| {
        state.warnings.iter().map(|warning| Warning {
            place: format!(
                "flags.{}.states.{}.{}",
                state.flag_key, state.env_slug, warning.place
            ),
            message: warning.message.clone(),
        })
    });
    let all = plan.warnings.iter().cloned().chain(of_states);
    all.take(MAX_WARNINGS).collect()
}

struct Writing<'a, 'b> {
    change: &'a mut ProjectChange<'b>,
    caller: &'a Caller,
    /// What was recorded last.
    last: Option<Recorded<()>>,
}

struct CountedStates {
    created: usize,
    updated: usize,
}

impl Writing<'_, '_> {
    fn note(&mut self, recorded: Option<Recorded<()>>) {
        self.last = recorded.or(self.last.take());
    }

    /// New ones first: they take the organization's lock, which comes before that of members.
    async fn environments(
        &mut self,
        new: Vec<(environments::model::Environment, bool)>,
        changed: Vec<(EnvId, environments::input::EnvironmentWish)>,
    ) -> Result<(), Refusal> {
        use environments::change;
        for (env, guards) in new {
            let created = if guards {
                change::create_guarded(self.change, env, self.caller).await?
            } else {
                change::create(self.change, env).await?
            };
            self.note(Some(created.map(drop)));
        }
        for (env_id, wish) in changed {
            let any = &Expected::Any;
            let updated = change::update(self.change, env_id, &wish, self.caller, any).await?;
            self.note(Some(updated.map(drop)));
        }
        Ok(())
    }

    async fn restore(&mut self, flag_ids: &[base::ids::FlagId]) -> Result<(), Refusal> {
        for &id in flag_ids {
            let any = &Expected::Any;
            let restored = archive::restore(self.change, id, self.caller, any).await?;
            self.note(Some(restored));
        }
        if !flag_ids.is_empty() {
            self.change.write_versions().await?;
        }
        Ok(())
    }

    async fn archive(
        &mut self,
        flag_ids: &[base::ids::FlagId],
        created: Vec<flags::model::Flag>,
    ) -> Result<(), Refusal> {
        if flag_ids.is_empty() && created.is_empty() {
            return Ok(());
        }
        self.change.write_versions().await?;
        for &id in flag_ids {
            let any = &Expected::Any;
            let archived = archive::archive(self.change, id, self.caller, any).await?;
            self.note(Some(archived));
        }
        for flag in created {
            let archived = archive::archive_created(self.change, flag).await?;
            self.note(Some(archived));
        }
        Ok(())
    }

    /// Writes the states that may be changed directly or that a grant allows, and requests the others.
    async fn states(
        &mut self,
        states: Vec<StatePlan>,
        announcements: Announcements<'_>,
        note: &str,
    ) -> Result<(Vec<NeededApproval>, CountedStates), Refusal> {
        let allowances = self.allowances(&states).await?;
        let (mut direct, mut unserved, mut needed) = (Vec::new(), Vec::new(), Vec::new());
        let by_approval = |state: &StatePlan| {
            allowances.get(&of(state)) == Some(&Allowance::ByApproval) && !state.is_unserved
        };
        let waiting = states.iter().filter(|state| by_approval(state));
        let mut places: Vec<_> = waiting.map(|state| state.place).collect();
        let passes = self.change.passes(places.iter().map(|it| it.env_id));
        if passes {
            places.clear();
        }
        let mut granted = Granted::open(self.change, self.caller, &places).await?;
        let mut counted = CountedStates {
            created: 0,
            updated: 0,
        };
        for state in states {
            let mut spent = None;
            if by_approval(&state) && !passes {
                spent = granted.spend(&state);
                if spent.is_none() {
                    needed.push(state);
                    continue;
                }
            }
            match state.stored {
                Some(_) => counted.updated += 1,
                None => counted.created += 1,
            }
            let list = if state.is_unserved {
                &mut unserved
            } else {
                &mut direct
            };
            list.push(Wished {
                place: state.place,
                stored: state.stored,
                state: state.state,
                touches: state.touches,
                warnings: state.warnings,
                spent,
            });
        }
        granted.close(self.change).await?;
        let authority = Authority::Creator(self.caller);
        let recorded = write_all(self.change, unserved, authority).await?;
        self.note(recorded);
        let authority = Authority::Member(self.caller);
        let recorded = write_all(self.change, direct, authority).await?;
        self.note(recorded);
        let (asked, recorded) =
            approvals::request_all(self.change, needed, self.caller, announcements, note).await?;
        self.note(recorded);
        Ok((asked, counted))
    }

    /// How the caller may change the states of each environment. Refuses environments where they may not.
    async fn allowances(
        &mut self,
        states: &[StatePlan],
    ) -> Result<BTreeMap<Touched, Allowance>, Refusal> {
        let mut allowances = BTreeMap::new();
        let mut denied: BTreeMap<EnvId, &str> = BTreeMap::new();
        for state in states {
            let key = of(state);
            let env_id = state.place.env_id;
            let allowance = match allowances.get(&key) {
                Some(&allowance) => allowance,
                None => permissions::allow(self.change, self.caller, env_id, state.touches).await?,
            };
            allowances.insert(key, allowance);
            if allowance == Allowance::Denied {
                denied.insert(env_id, &state.env_slug);
            }
        }
        if denied.is_empty() {
            return Ok(allowances);
        }
        let shown = denied.into_iter().map(|(id, slug)| AffectedEnvironment {
            id,
            slug: slug.to_owned(),
            protected: false,
        });
        let guarded = Guarded::new(
            "insufficient permissions for these environments",
            "the change has states of environments where you may not change flags".to_owned(),
            shown.collect(),
        );
        Err(Refusal::Guarded(Box::new(guarded)))
    }
}

/// An environment, and the halves of its states.
type Touched = (EnvId, bool, bool);

const fn of(state: &StatePlan) -> Touched {
    let Touches { toggle, rules } = state.touches;
    (state.place.env_id, toggle, rules)
}
