//! States that need the approval of a second person: each becomes a request, unless one for the same is pending.

use serde_json::{Map, Value};
use sqlx::types::Json;

use super::{model::NeededApproval, plan::StatePlan, store};
use crate::{
    approvals::{
        basis::Basis,
        mail::Announcements,
        model::{Approval, Status},
        request,
    },
    flags::states::{input::StatePatch, model::FlagState},
    members::caller::Caller,
    roles::keys::{ApprovalsCreate, Permission as _},
    unit::{ProjectChange, Recorded},
};
use base::{
    ids::{ApprovalId, FlagId},
    refusal::{Problem, Problems, Refusal},
};

/// Requests of a call: people review each of them.
const MOST: usize = 100;

const MAY_NOT_ASK: Refusal = Refusal::Forbidden("insufficient permissions: approvals.create");

/// Requests what may not be changed directly.
pub(super) async fn request_all(
    change: &mut ProjectChange<'_>,
    needed: Vec<StatePlan>,
    caller: &Caller,
    announcements: Announcements<'_>,
    note: &str,
) -> Result<(Vec<NeededApproval>, Option<Recorded<()>>), Refusal> {
    if needed.is_empty() {
        return Ok((Vec::new(), None));
    }
    if caller.require(ApprovalsCreate::NEEDS).is_err() {
        return Err(MAY_NOT_ASK);
    }
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let flag_ids: Vec<FlagId> = needed.iter().map(|one| one.place.flag_id).collect();
    let pending = store::find_pending(change, org_id, project_id, &flag_ids).await?;
    let mut asked = Vec::new();
    let mut recorded = None;
    let mut made = 0;
    let is_dry_run = change.is_dry_run();
    for state in needed {
        refuse_archived(&state)?;
        let basis = basis(&state);
        let payload = &basis.proposed;
        let place = (state.place.flag_id, state.place.env_id);
        let same = pending.get(&place).into_iter().flatten();
        let same = same
            .into_iter()
            .find(|(_, pending)| is_same(pending, payload));
        let id = if let Some((id, _)) = same {
            Some(*id)
        } else {
            made += 1;
            if made > MOST {
                return Err(Refusal::invalid(
                    "at most 100 states of protected environments can be requested in a call: send fewer flags at once",
                ));
            }
            let approval = approval(change, &state, caller, payload, note)?;
            let id = approval.id;
            let warnings = &state.warnings;
            let created = request::create(change, announcements, approval, &basis, warnings);
            recorded = Some(created.await?.map(drop));
            (!is_dry_run).then_some(id)
        };
        asked.push(NeededApproval {
            id,
            flag_key: state.flag_key,
            env_slug: state.env_slug,
        });
    }
    Ok((asked, recorded))
}

/// A request about an archived flag could not be applied.
fn refuse_archived(state: &StatePlan) -> Result<(), Refusal> {
    if !state.ends_archived {
        return Ok(());
    }
    let problem = Problem {
        place: format!("flags.{}.states.{}", state.flag_key, state.env_slug),
        message: "the environment is protected, and an archived flag has no requests for approval"
            .to_owned(),
    };
    let problems = Problems::of(vec![problem]).into_iter();
    Err(problems
        .map(Box::new)
        .map(Refusal::Problems)
        .next()
        .unwrap_or(Refusal::INSUFFICIENT))
}

/// The fields that differ, before and after.
fn basis(state: &StatePlan) -> Basis {
    let initial = FlagState::initial(state.state.updated_at);
    let before = shown(state.stored.as_ref().unwrap_or(&initial));
    let after = shown(&state.state);
    let value = |side: &Map<String, Value>, name: &str| side.get(name).cloned().unwrap_or_default();
    let differing = StatePatch::FIELDS
        .into_iter()
        .filter(|name| value(&before, name) != value(&after, name));
    let (base, proposed) = differing
        .map(|name| {
            let named = |side| (name.to_owned(), value(side, name));
            (named(&before), named(&after))
        })
        .unzip();
    Basis {
        version: state.stored.as_ref().map_or(0, |stored| stored.version),
        base,
        proposed,
    }
}

fn shown(state: &FlagState) -> Map<String, Value> {
    match serde_json::to_value(state) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

/// Whether both ask for the same. Rules that came without an id have another one each time.
fn is_same(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let contents = |side: &Map<String, Value>| {
        let mut side = side.clone();
        let rules = side.get_mut("rules").and_then(Value::as_array_mut);
        for rule in rules.into_iter().flatten().filter_map(Value::as_object_mut) {
            rule.remove("id");
        }
        side
    };
    contents(one) == contents(other)
}

fn approval(
    change: &ProjectChange<'_>,
    state: &StatePlan,
    caller: &Caller,
    payload: &Map<String, Value>,
    note: &str,
) -> Result<Approval, Refusal> {
    let now = change.now();
    let payload = serde_json::from_value(Value::Object(payload.clone()));
    Ok(Approval {
        id: ApprovalId::new(now),
        project_id: change.project().id,
        project_slug: None,
        flag_id: state.place.flag_id,
        flag_key: None,
        env_id: state.place.env_id,
        env_slug: None,
        change_type: "update_state".to_owned(),
        status: Status::Pending,
        payload: payload.map_err(|error| Refusal::Fault(error.into()))?,
        note: note.to_owned(),
        requestor_id: caller.user_id,
        requestor_name: None,
        reviewer_id: None,
        reviewer_name: None,
        review_note: None,
        reviewed_at: None,
        required_approvals: 1,
        approvals: Json(Vec::new()),
        created_at: now,
        updated_at: now,
    })
}
