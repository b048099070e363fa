//! Looking at an earlier version: the last version of each part up to it.

use protocol::rule::{TargetingRule, Variant};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use sqlx::PgConnection;
use time::{OffsetDateTime, UtcOffset};

use super::{model::BEGAN, store};
use crate::{
    flags::{
        change::Place,
        model::{Flag, FlagType},
        states::{
            self,
            model::{BasisPoints, FlagState},
        },
        store as flags,
    },
    ids::{FlagId, FlagStateId, OrgId, ProjectId},
    refusal::{Missing, Refusal},
};

/// What there was at a version.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// The flag; `None` once it was deleted.
    pub(crate) flag: Option<Flag>,
    /// Its state in the environment, if any was stored.
    pub(crate) state: Option<FlagState>,
}

/// What there was at a version of a flag's history in an environment: one of its own fields, or of its state there. Call it where
/// nothing changes meanwhile.
pub(crate) async fn at(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    place: Place,
    version: i64,
) -> Result<Kept, Refusal> {
    let Place { flag_id, env_id } = place;
    if !store::is_listed(conn, org_id, flag_id, env_id, version).await? {
        return Err(Missing::Version.into());
    }
    let fields = store::find_part(conn, org_id, flag_id, None, version).await?;
    let flag = match Part::of(fields, version) {
        Part::Was(document) => Some(read::<KeptFlag>(document)?.flag()),
        Part::Nothing => None,
        Part::AsNow => {
            let found = flags::find_by_id(conn, org_id, project_id, flag_id).await?;
            Some(found.ok_or(Missing::Version)?)
        }
        Part::Forgotten => return Err(Missing::Version.into()),
    };
    if flag.is_none() {
        return Ok(Kept { flag, state: None });
    }
    let state = store::find_part(conn, org_id, flag_id, Some(env_id), version).await?;
    let state = match Part::of(state, version) {
        Part::Was(document) => Some(read::<KeptState>(document)?.state()?),
        Part::Nothing => None,
        Part::AsNow => states::store::find(conn, org_id, flag_id, env_id).await?,
        Part::Forgotten => return Err(Missing::Version.into()),
    };
    Ok(Kept { flag, state })
}

/// A version of a part: the last up to the one that is looked for, or else the first that there is.
pub(super) struct Found {
    pub(super) version: i64,
    pub(super) ordinal: i64,
    pub(super) action: String,
    pub(super) document: Option<Value>,
}

/// What a part was at a version.
#[derive(Debug, PartialEq)]
enum Part {
    Was(Value),
    /// It was not there yet, or no longer.
    Nothing,
    /// It has not changed since history began.
    AsNow,
    /// Older versions of it were forgotten.
    Forgotten,
}

impl Part {
    fn of(found: Option<Found>, version: i64) -> Self {
        match found {
            None => Self::AsNow,
            // What was there before history began was there all the time.
            Some(found) if found.version <= version || found.action == BEGAN => {
                found.document.map_or(Self::Nothing, Self::Was)
            }
            Some(found) if found.ordinal == 1 => Self::Nothing,
            Some(_) => Self::Forgotten,
        }
    }
}

fn read<T: DeserializeOwned>(document: Value) -> Result<T, Refusal> {
    serde_json::from_value(document).map_err(|error| Refusal::Fault(error.into()))
}

/// A flag as its history has it.
#[derive(Deserialize)]
struct KeptFlag {
    id: FlagId,
    key: String,
    name: String,
    description: String,
    flag_type: FlagType,
    default_value: Value,
    tags: Vec<String>,
    prerequisites: Vec<String>,
    mutual_exclusion_group: String,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
}

impl KeptFlag {
    fn flag(self) -> Flag {
        let mut flag = Flag {
            id: self.id,
            key: self.key,
            name: self.name,
            description: self.description,
            flag_type: self.flag_type,
            default_value: self.default_value,
            tags: self.tags,
            prerequisites: self.prerequisites,
            mutual_exclusion_group: self.mutual_exclusion_group,
            created_at: self.created_at.to_offset(UtcOffset::UTC),
            updated_at: self.updated_at.to_offset(UtcOffset::UTC),
            compiled_bytes: 0,
            version: 0,
        };
        flag.compiled_bytes = flag.measure();
        flag
    }
}

/// A state as its history has it.
#[derive(Deserialize)]
struct KeptState {
    id: FlagStateId,
    enabled: bool,
    default_value: Option<Value>,
    rules: Vec<TargetingRule>,
    percentage_rollout: Option<i64>,
    variants: Vec<Variant>,
    #[serde(with = "time::serde::rfc3339::option")]
    scheduled_enable_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    scheduled_disable_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    pattern_bytes: i32,
}

impl KeptState {
    fn state(self) -> Result<FlagState, Refusal> {
        let utc = |due: Option<OffsetDateTime>| due.map(|due| due.to_offset(UtcOffset::UTC));
        let rollout = self.percentage_rollout;
        let rollout = rollout.map(|points| BasisPoints::new("percentage_rollout", points));
        let mut state = FlagState {
            id: self.id,
            enabled: self.enabled,
            default_value: self.default_value,
            rules: self.rules,
            percentage_rollout: rollout.transpose()?,
            variants: self.variants,
            scheduled_enable_at: utc(self.scheduled_enable_at),
            scheduled_disable_at: utc(self.scheduled_disable_at),
            updated_at: self.updated_at.to_offset(UtcOffset::UTC),
            compiled_bytes: 0,
            pattern_bytes: self.pattern_bytes,
            version: 0,
        };
        state.compiled_bytes = state.measure();
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(version: i64, ordinal: i64, action: &str) -> Option<Found> {
        Some(Found {
            version,
            ordinal,
            action: action.to_owned(),
            document: Some(json!(version)),
        })
    }

    #[test]
    fn a_part_is_what_it_was_when_it_changed_last() {
        let updated = "flag.state_updated";
        assert_eq!(Part::of(found(3, 2, updated), 5), Part::Was(json!(3)));
        assert_eq!(Part::of(found(5, 2, updated), 5), Part::Was(json!(5)));
        let deleted = found(5, 2, "flag.deleted").map(|found| Found {
            document: None,
            ..found
        });
        assert_eq!(Part::of(deleted, 5), Part::Nothing);
    }

    #[test]
    fn before_its_first_version_it_was_not_there_unless_it_is_older_than_history() {
        assert_eq!(Part::of(None, 5), Part::AsNow);
        assert_eq!(Part::of(found(7, 1, "flag.killed"), 5), Part::Nothing);
        assert_eq!(Part::of(found(7, 1, BEGAN), 5), Part::Was(json!(7)));
        assert_eq!(Part::of(found(7, 4, "flag.killed"), 5), Part::Forgotten);
    }
}
