//! The refusal of a change in a protected environment, and the request for approval that leads to the same change.

use serde_json::{Map, Value};

use super::Place;
use crate::{
    environments,
    flags::{self, states::input::StatePatch, states::model::FlagState},
    unit::ProjectChange,
};
use base::{
    db,
    refusal::{
        AffectedEnvironment, ApprovalBody, ApprovalRequest, Guarded, Missing, Refusal, RefusedGrant,
    },
};

/// Bytes of the suggested payload; a larger one is left out.
const MAX_PAYLOAD: usize = 16 * 1024;

/// Refuses a change from the stored state to another one, which none of these grants allows.
pub(super) async fn approval_required(
    change: &mut ProjectChange<'_>,
    place: Place,
    (stored, state): (Option<&FlagState>, &FlagState),
    grants: Vec<RefusedGrant>,
) -> db::Result<Refusal> {
    let Place { flag_id, env_id } = place;
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let env = environments::store::find(change, org_id, project_id, env_id).await?;
    let flag = flags::store::find_by_id(change, org_id, project_id, flag_id).await?;
    let Some((env, flag)) = env.zip(flag) else {
        return Ok(Missing::Environment.into());
    };
    let slug = &env.slug;
    let message = format!(
        "the environment {slug} is protected: flags change there by approved requests alone, except for kills; request the \
         change, and let another member approve it"
    );
    let affected = AffectedEnvironment {
        id: env.id,
        slug: env.slug,
        protected: true,
    };
    let mut guarded = Guarded::new("approval_required", message, vec![affected]);
    guarded.grants = grants;
    guarded.approval = Some(ApprovalRequest {
        method: "POST",
        path: "/v1/approvals",
        body: ApprovalBody {
            flag_key: flag.key,
            env_id,
            change_type: "update_state",
            payload: payload(stored, state),
        },
    });
    Ok(Refusal::Guarded(Box::new(guarded)))
}

/// The fields that differ, unless they are large.
fn payload(stored: Option<&FlagState>, state: &FlagState) -> Option<Map<String, Value>> {
    let shown = |state: &FlagState| match serde_json::to_value(state) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let size = state
        .compiled_bytes
        .max(stored.map_or(0, |stored| stored.compiled_bytes));
    // Compiled states are about as large as their JSON; what may be large is not even converted.
    if usize::try_from(size).is_ok_and(|size| size > MAX_PAYLOAD) {
        return None;
    }
    let before = shown(stored.unwrap_or(&FlagState::initial(state.updated_at)));
    let mut fields = shown(state);
    fields.retain(|name, value| {
        StatePatch::FIELDS.contains(&name.as_str()) && before.get(name) != Some(value)
    });
    let bytes = serde_json::to_string(&fields).map_or(usize::MAX, |text| text.len());
    (bytes <= MAX_PAYLOAD).then_some(fields)
}
