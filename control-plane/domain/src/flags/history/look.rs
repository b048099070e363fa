//! Looking at an earlier version: the last version of each part up to it. What it does not keep is as a later version has it, and
//! else as it is now.

use protocol::{
    bucketing::Bucketing,
    rule::{TargetingRule, Variant},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::{OffsetDateTime, UtcOffset};

use super::{model::PATTERN_BYTES, store};
use crate::flags::{
    change::Place,
    model::{Flag, FlagType},
    states::{
        self,
        model::{BasisPoints, FlagState},
    },
    store as flags,
};
use base::{
    ids::{EnvId, FlagId, FlagStateId, MemberId, OrgId, ProjectId},
    refusal::{Missing, Refusal},
};

/// What there was at a version.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The flag; `None` once it was deleted.
    pub flag: Option<Flag>,
    /// Its state in the environment, if any was stored.
    pub state: Option<FlagState>,
}

/// What there was at a version of a flag's history in an environment: one of its own fields, or of its state there. Call it where
/// nothing changes meanwhile.
pub async fn at(
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
    let now = flags::find_by_id(conn, org_id, project_id, flag_id).await?;
    let fields = store::find_part(conn, org_id, flag_id, None, version).await?;
    let flag = match Part::of(fields, version) {
        Part::Was(was) => {
            let document = now.map(|flag| document(&flag, None)).transpose()?;
            let kept = whole::<KeptFlag>(conn, org_id, flag_id, None, was, document).await?;
            Some(kept.flag(was.at))
        }
        Part::Nothing => None,
        Part::AsNow => Some(now.ok_or(Missing::Version)?),
        Part::Forgotten => return Err(Missing::Version.into()),
    };
    if flag.is_none() {
        return Ok(Kept { flag, state: None });
    }
    let now = states::store::find(conn, org_id, flag_id, env_id).await?;
    let state = store::find_part(conn, org_id, flag_id, Some(env_id), version).await?;
    let state = match Part::of(state, version) {
        Part::Was(was) => {
            let document = now.map(|state| document(&state, Some(state.pattern_bytes)));
            let document = document.transpose()?;
            let env_id = Some(env_id);
            let kept = whole::<KeptState>(conn, org_id, flag_id, env_id, was, document).await?;
            Some(kept.state(was.at)?)
        }
        Part::Nothing => None,
        Part::AsNow => now,
        Part::Forgotten => return Err(Missing::Version.into()),
    };
    Ok(Kept { flag, state })
}

/// What there is now, as history has it.
fn document(now: &impl Serialize, pattern_bytes: Option<i32>) -> Result<Value, Refusal> {
    let mut document = serde_json::to_value(now).map_err(|error| Refusal::Fault(error.into()))?;
    if let Some(bytes) = pattern_bytes {
        document[PATTERN_BYTES] = bytes.into();
    }
    Ok(document)
}

/// What a part was, as a whole.
async fn whole<T: DeserializeOwned>(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: Option<EnvId>,
    was: Was,
    now: Option<Value>,
) -> Result<T, Refusal> {
    let later = store::list_later(conn, org_id, flag_id, env_id, was.ordinal).await?;
    let holders = holders(was.ordinal, &later).ok_or(Missing::Version)?;
    let mut document = match now {
        Some(now) => now,
        None => {
            let last = store::find_last(conn, org_id, flag_id, env_id).await?;
            last.ok_or(Missing::Version)?
        }
    };
    for (name, value) in store::members(conn, org_id, flag_id, env_id, &holders).await? {
        document[name] = value.ok_or(Missing::Version)?;
    }
    serde_json::from_value(document).map_err(|error| Refusal::Fault(error.into()))
}

/// A version of a part after the one that is looked at.
pub(super) struct Later {
    pub(super) ordinal: i64,
    pub(super) changed: Json<Vec<String>>,
}

/// Which version of a part keeps what a member was.
#[derive(Debug, PartialEq)]
pub(super) struct Holder {
    pub(super) name: String,
    pub(super) ordinal: i64,
}

/// Where members are kept that were otherwise than now: by the version before the first that changed them. `None` if a version in
/// between is gone.
fn holders(ordinal: i64, later: &[Later]) -> Option<Vec<Holder>> {
    let mut holders: Vec<Holder> = Vec::new();
    for (before, version) in (ordinal..).zip(later) {
        if version.ordinal != before + 1 {
            return None;
        }
        let with_rules = version.changed.iter().any(|name| name == "rules");
        let names = version.changed.iter().map(String::as_str);
        for name in names.chain(with_rules.then_some(PATTERN_BYTES)) {
            if holders.iter().all(|holder| holder.name != name) {
                holders.push(Holder {
                    name: name.to_owned(),
                    ordinal: before,
                });
            }
        }
    }
    Some(holders)
}

/// A version of a part: the last up to the one that is looked for, or else the first that there is.
pub(super) struct Found {
    pub(super) version: i64,
    pub(super) ordinal: i64,
    pub(super) made_at: OffsetDateTime,
    /// Whether it says that the part was deleted.
    pub(super) is_end: bool,
}

/// A version of a part that is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Was {
    ordinal: i64,
    at: OffsetDateTime,
}

/// What a part was at a version.
#[derive(Debug, PartialEq)]
enum Part {
    Was(Was),
    /// It was not there yet, or no longer.
    Nothing,
    /// It never changed.
    AsNow,
    /// Older versions of it were forgotten.
    Forgotten,
}

impl Part {
    fn of(found: Option<Found>, version: i64) -> Self {
        match found {
            None => Self::AsNow,
            Some(found) if found.version <= version => {
                let was = Was {
                    ordinal: found.ordinal,
                    at: found.made_at.to_offset(UtcOffset::UTC),
                };
                if found.is_end {
                    Self::Nothing
                } else {
                    Self::Was(was)
                }
            }
            Some(found) if found.ordinal == 1 => Self::Nothing,
            Some(_) => Self::Forgotten,
        }
    }
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
    #[serde(default)]
    permanent: bool,
    #[serde(default)]
    owner_id: Option<MemberId>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(default, with = "time::serde::rfc3339::option")]
    archived_at: Option<OffsetDateTime>,
}

impl KeptFlag {
    fn flag(self, updated_at: OffsetDateTime) -> Flag {
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
            permanent: self.permanent,
            owner_id: self.owner_id,
            created_at: self.created_at.to_offset(UtcOffset::UTC),
            updated_at,
            archived_at: self.archived_at.map(|at| at.to_offset(UtcOffset::UTC)),
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
    #[serde(default)]
    bucketing: Option<Bucketing>,
    #[serde(with = "time::serde::rfc3339::option")]
    scheduled_enable_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    scheduled_disable_at: Option<OffsetDateTime>,
    pattern_bytes: i32,
}

impl KeptState {
    fn state(self, updated_at: OffsetDateTime) -> Result<FlagState, Refusal> {
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
            bucketing: self.bucketing,
            scheduled_enable_at: utc(self.scheduled_enable_at),
            scheduled_disable_at: utc(self.scheduled_disable_at),
            updated_at,
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
    use super::*;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn found(version: i64, ordinal: i64) -> Option<Found> {
        Some(Found {
            version,
            ordinal,
            made_at: NOW,
            is_end: false,
        })
    }

    const fn was(ordinal: i64) -> Part {
        Part::Was(Was { ordinal, at: NOW })
    }

    #[test]
    fn a_part_is_what_it_was_when_it_changed_last() {
        assert_eq!(Part::of(found(3, 2), 5), was(2));
        assert_eq!(Part::of(found(5, 2), 5), was(2));
        let deleted = found(5, 2).map(|found| Found {
            is_end: true,
            ..found
        });
        assert_eq!(Part::of(deleted, 5), Part::Nothing);
    }

    #[test]
    fn before_its_first_version_it_was_not_there() {
        assert_eq!(Part::of(None, 5), Part::AsNow);
        assert_eq!(Part::of(found(7, 1), 5), Part::Nothing);
        assert_eq!(Part::of(found(7, 4), 5), Part::Forgotten);
    }

    fn later(ordinal: i64, changed: &[&str]) -> Later {
        let changed = changed.iter().map(|&name| name.to_owned()).collect();
        Later {
            ordinal,
            changed: Json(changed),
        }
    }

    #[test]
    fn what_a_member_was_is_kept_before_the_first_change_of_it() {
        let all = [
            later(4, &["enabled"]),
            later(5, &["rules", "enabled"]),
            later(6, &["rules"]),
        ];
        let kept = |ordinal, later: &[Later]| -> Option<Vec<(String, i64)>> {
            let holders = holders(ordinal, later)?.into_iter();
            Some(holders.map(|one| (one.name, one.ordinal)).collect())
        };
        let named = |names: &[(&str, i64)]| {
            let names = names.iter().map(|&(name, at)| (name.to_owned(), at));
            Some(names.collect::<Vec<_>>())
        };
        let expected = [("enabled", 3), ("rules", 4), ("pattern_bytes", 4)];
        assert_eq!(kept(3, &all), named(&expected));
        assert_eq!(kept(6, &[]), named(&[]));
        assert_eq!(kept(2, &all), None, "the third is gone");
    }
}
