//! What a request was compared with when it was made. It is stored with the request, so that its difference is the same before,
//! at and after its application; what has changed since is found by comparing it with the present state.

use protocol::rule::TargetingRule;
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::{
    model::{Approval, Status},
    store,
};
use crate::{
    flags::states::{
        input::{StatePatch, StateWish},
        model::FlagState,
        store as states,
    },
    unit::Wish,
};
use base::{
    db,
    ids::OrgId,
    refusal::{Missing, Moved, Refusal},
};

const UNSEEN: &str = "the flag has changed since the request was made: look at the difference again, and send its \
                      current_version with the review";
const OUTDATED: &str = "the flag has changed since you looked at the request: look at the difference again, and send its \
                        current_version with the review";

/// The fields of a state that a request changes, before and after.
#[derive(Clone, Debug, Default)]
pub struct Basis {
    /// The version of the state; 0 if none was stored.
    pub version: i64,
    pub base: Map<String, Value>,
    pub proposed: Map<String, Value>,
}

impl Basis {
    /// Of a request that changes these fields.
    pub fn of(fields: &[&str], wish: &StateWish, stored: &Option<FlagState>) -> Self {
        let proposed = wish.apply(stored);
        let base = match stored {
            Some(stored) => named(fields, stored),
            None => named(fields, &FlagState::initial(proposed.updated_at)),
        };
        Self {
            version: stored.as_ref().map_or(0, |stored| stored.version),
            base,
            proposed: named(fields, &proposed),
        }
    }

    /// The rules as they were proposed, with the ids that those without one were given.
    pub fn proposed_rules(&self) -> Vec<TargetingRule> {
        let rules = self.proposed.get("rules").cloned().unwrap_or_default();
        serde_json::from_value(rules).unwrap_or_default()
    }

    /// Size of both sides as compact JSON.
    pub fn bytes(&self) -> usize {
        let length =
            |side: &Map<String, Value>| serde_json::to_string(side).map_or(0, |it| it.len());
        length(&self.base) + length(&self.proposed)
    }
}

/// The fields without the ids of rules: equal rules that were stored again have others.
fn contents(side: &Map<String, Value>) -> Map<String, Value> {
    let mut side = side.clone();
    let rules = side.get_mut("rules").and_then(Value::as_array_mut);
    for rule in rules.into_iter().flatten().filter_map(Value::as_object_mut) {
        rule.remove("id");
    }
    side
}

/// These fields of a state. One that is left out for being unset is `null`.
fn named(fields: &[&str], state: &FlagState) -> Map<String, Value> {
    let shown = serde_json::to_value(state).unwrap_or_default();
    let value = |name: &str| shown.get(name).cloned().unwrap_or_default();
    let fields = fields.iter();
    fields.map(|&name| (name.to_owned(), value(name))).collect()
}

/// A request's change, beside the present state: the fields that it changes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ApprovalDiff)]
pub struct Diff {
    /// The version of the flag's state when the request was made, 0 if none was stored; `null` for a request that was made
    /// before Halyard kept it.
    #[schema(required)]
    pub base_version: Option<i64>,
    /// The fields as they were when the request was made; `null` as above.
    #[schema(value_type = Option<Object>, required)]
    pub base: Option<Map<String, Value>>,
    /// The fields as the request makes them. Like `base` it stays as it is, whatever happens to the flag.
    #[schema(value_type = Object)]
    pub proposed: Map<String, Value>,
    /// The version of the flag's state now, 0 if none is stored; `null` if the flag or the environment is gone.
    #[schema(required)]
    pub current_version: Option<i64>,
    /// The fields as they are now; `null` as above.
    #[schema(value_type = Option<Object>, required)]
    pub current: Option<Map<String, Value>>,
    /// Those of a pending request that have changed since it was made, to another value than it asks for.
    pub conflicts: Vec<&'static str>,
}

/// What a difference is made of.
pub struct Sides {
    stored: Option<Basis>,
    /// `None` if the flag or the environment is gone.
    current: Option<Option<FlagState>>,
}

impl Sides {
    /// Reads both. The state may change afterwards, unless the project is locked.
    pub async fn read(
        conn: &mut PgConnection,
        org_id: OrgId,
        asked: &Approval,
    ) -> db::Result<Self> {
        let stored = store::find_basis(conn, org_id, asked.id).await?;
        let Approval {
            project_id,
            flag_id,
            env_id,
            ..
        } = *asked;
        let located = states::locate_by_id(conn, org_id, project_id, flag_id, env_id).await;
        let current = match located {
            Ok(located) => Some(located.state),
            Err(Refusal::Gone(Missing::Flag | Missing::Environment)) => None,
            Err(Refusal::Database(error)) => return Err(error),
            Err(_) => None,
        };
        Ok(Self { stored, current })
    }

    /// Takes a while for the largest states: not for the threads of requests.
    pub fn diff(self, asked: &Approval) -> Diff {
        let fields = asked.payload.fields(&asked.change_type);
        Diff::of(&fields, asked, self.stored, self.current.as_ref())
    }
}

impl Diff {
    /// For those who may not read flags.
    pub fn without_states(self) -> Self {
        Self {
            base: None,
            current: None,
            ..self
        }
    }

    fn of(
        fields: &[&'static str],
        asked: &Approval,
        stored: Option<Basis>,
        current: Option<&Option<FlagState>>,
    ) -> Self {
        let current_version =
            current.map(|state| state.as_ref().map_or(0, |stored| stored.version));
        let current = current.map(|state| match state {
            Some(state) => named(fields, state),
            None => named(fields, &FlagState::initial(asked.created_at)),
        });
        let mut diff = Self {
            base_version: None,
            base: None,
            proposed: Map::new(),
            current_version,
            current,
            conflicts: Vec::new(),
        };
        match stored {
            Some(basis) => {
                diff.base_version = Some(basis.version);
                diff.proposed = basis.proposed;
                diff.base = Some(basis.base);
            }
            None => diff.proposed = asked.payload.named(fields, &asked.change_type),
        }
        if let (Status::Pending, Some(base), Some(current)) =
            (asked.status, &diff.base, &diff.current)
        {
            let (base, current) = (contents(base), contents(current));
            let proposed = contents(&diff.proposed);
            let moved = |name: &&str| {
                current.get(*name) != base.get(*name) && current.get(*name) != proposed.get(*name)
            };
            diff.conflicts = fields.iter().copied().filter(moved).collect();
        }
        diff
    }

    /// Refuses an approval by somebody who has not seen the present state: one that names another version, or names none where
    /// it would overwrite what has changed since the request.
    pub fn check(self, seen: Option<i64>, is_applied: bool) -> Result<(), Refusal> {
        let Some(current_version) = self.current_version else {
            return Ok(());
        };
        let error = match seen {
            Some(seen) if seen == current_version => return Ok(()),
            Some(_) => OUTDATED,
            None if self.conflicts.is_empty() || !is_applied => return Ok(()),
            None => UNSEEN,
        };
        Err(Refusal::Moved(Box::new(Moved {
            error,
            conflicts: self.conflicts,
            current_version,
        })))
    }
}

/// The fields of a state that a payload with these members changes.
pub(super) fn fields_among(given: &Map<String, Value>) -> Vec<&'static str> {
    let fields = StatePatch::FIELDS.into_iter();
    fields.filter(|name| given.contains_key(*name)).collect()
}
