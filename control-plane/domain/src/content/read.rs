//! Reading definitions page by page.

use std::collections::HashMap;

use super::{
    model::{ContentPage, ShownEnvironment, ShownFlag, ShownSegment, ShownState},
    rights::Reads,
    store::{self, Listed},
};
use crate::{
    environments::model::Environment,
    flags::{
        self,
        model::Flag,
        states::{
            model::FlagState,
            store::{self as states, Stated},
        },
    },
    members::caller::Caller,
    segments::{self, model::Segment},
};
use base::{
    db::{self, Db, Reading},
    ids::{EnvId, FlagId, OrgId, ProjectId},
    input::Invalid,
    refusal::{Missing, Refusal},
};

/// A page ends after the item with which it has so many bytes.
const MAX_BYTES: i64 = 4 * 1024 * 1024;

/// The last item of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    Segment(String),
    Flag(String),
}

impl After {
    /// Reads the `next` of a page.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let invalid = || Invalid::new("after must be the next of a page");
        let bytes = hex::decode(text).map_err(|_| invalid())?;
        let text = String::from_utf8(bytes).map_err(|_| invalid())?;
        match text.split_at_checked(1) {
            Some(("s", key)) => Ok(Self::Segment(key.to_owned())),
            Some(("f", key)) => Ok(Self::Flag(key.to_owned())),
            _ => Err(invalid()),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Segment(key) => hex::encode(format!("s{key}")),
            Self::Flag(key) => hex::encode(format!("f{key}")),
        }
    }
}

/// A page of at most `limit` segments and flags, from one view of the database. Of an access token that is limited to environments
/// only these and their states are shown.
pub async fn page(
    db: &Db,
    caller: &Caller,
    project_id: ProjectId,
    limit: i64,
    after: Option<After>,
) -> Result<ContentPage, Refusal> {
    let org_id = caller.org_id;
    let mut reading = db.begin_reading().await?;
    let version = store::find_version(&mut reading, org_id, project_id).await?;
    let version = version.ok_or(Missing::Project)?;
    let reads = Reads::of(caller);
    let mut environments = store::list_environments(&mut reading, org_id, project_id).await?;
    environments.retain(|env| caller.has_env(env.id));
    let mut room = Room {
        items: limit,
        bytes: MAX_BYTES,
        last: None,
        is_over: false,
    };
    let mut shown_segments = Vec::new();
    if reads.segments && !matches!(after, Some(After::Flag(_))) {
        let key = match &after {
            Some(After::Segment(key)) => Some(key.as_str()),
            Some(After::Flag(_)) | None => None,
        };
        let asked = room.items + 1;
        let listed = store::list_segments(&mut reading, org_id, project_id, key, asked).await?;
        let keys = room.take(listed, After::Segment);
        shown_segments = segments_with(&mut reading, org_id, project_id, &keys).await?;
    }
    let mut shown_flags = Vec::new();
    if reads.flags && !room.is_over {
        let key = match &after {
            Some(After::Flag(key)) => Some(key.as_str()),
            Some(After::Segment(_)) | None => None,
        };
        let asked = room.items + 1;
        let listed = store::list_flags(&mut reading, org_id, project_id, key, asked).await?;
        let keys = room.take(listed, After::Flag);
        shown_flags = flags_with(&mut reading, org_id, project_id, &keys, &environments).await?;
    }
    let environments = if after.is_none() {
        environments.into_iter().map(Into::into).collect()
    } else {
        Vec::new()
    };
    let next = room.last.filter(|_| room.is_over);
    Ok(ContentPage {
        version,
        environments: reads.environments.then_some(environments),
        segments: reads.segments.then_some(shown_segments),
        flags: reads.flags.then_some(shown_flags),
        next: next.map(|last| last.text()),
    })
}

/// What a page has room for.
struct Room {
    items: i64,
    bytes: i64,
    /// The last item taken.
    last: Option<After>,
    /// Whether something is left out.
    is_over: bool,
}

impl Room {
    /// The keys of those that fit.
    fn take(&mut self, listed: Vec<Listed>, place: fn(String) -> After) -> Vec<String> {
        let mut keys = Vec::new();
        for Listed { key, bytes } in listed {
            if self.items == 0 || self.bytes <= 0 {
                self.is_over = true;
                break;
            }
            self.items -= 1;
            self.bytes -= bytes;
            self.last = Some(place(key.clone()));
            keys.push(key);
        }
        keys
    }
}

async fn segments_with(
    reading: &mut Reading,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
) -> db::Result<Vec<ShownSegment>> {
    let mut found = segments::store::find_among(reading, org_id, project_id, keys).await?;
    found.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    Ok(found.into_iter().map(Into::into).collect())
}

async fn flags_with(
    reading: &mut Reading,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
    environments: &[Environment],
) -> db::Result<Vec<ShownFlag>> {
    let mut found = flags::store::find_among(reading, org_id, project_id, keys).await?;
    found.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    let ids: Vec<_> = found.iter().map(|flag| flag.id).collect();
    let slugs: HashMap<EnvId, &str> = environments
        .iter()
        .map(|env| (env.id, env.slug.as_str()))
        .collect();
    let mut states: HashMap<FlagId, Vec<(String, ShownState)>> = HashMap::new();
    for Stated {
        flag_id,
        env_id,
        state,
    } in states::find_of_flags(reading, org_id, &ids).await?
    {
        if let Some(slug) = slugs.get(&env_id) {
            let of_flag = states.entry(flag_id).or_default();
            of_flag.push(((*slug).to_owned(), state.into()));
        }
    }
    let shown = found.into_iter().map(|flag| {
        let of_flag = states.remove(&flag.id).unwrap_or_default();
        shown(flag, of_flag)
    });
    Ok(shown.collect())
}

impl From<Environment> for ShownEnvironment {
    fn from(env: Environment) -> Self {
        Self {
            slug: env.slug,
            name: env.name,
            color: env.color,
            protected: env.protected,
            required_approvals: env.required_approvals,
        }
    }
}

impl From<Segment> for ShownSegment {
    fn from(segment: Segment) -> Self {
        Self {
            key: segment.key,
            name: segment.name,
            description: segment.description,
            match_type: segment.match_type,
            rules: segment.rules,
        }
    }
}

impl From<FlagState> for ShownState {
    fn from(state: FlagState) -> Self {
        Self {
            enabled: state.enabled,
            default_value: state.default_value,
            rules: state.rules,
            percentage_rollout: state.percentage_rollout,
            variants: state.variants,
            bucketing: state.bucketing,
            scheduled_enable_at: state.scheduled_enable_at,
            scheduled_disable_at: state.scheduled_disable_at,
        }
    }
}

pub(super) fn shown(flag: Flag, states: Vec<(String, ShownState)>) -> ShownFlag {
    ShownFlag {
        key: flag.key,
        name: flag.name,
        description: flag.description,
        flag_type: flag.flag_type,
        default_value: flag.default_value,
        tags: flag.tags,
        prerequisites: flag.prerequisites,
        mutual_exclusion_group: flag.mutual_exclusion_group,
        permanent: flag.permanent,
        archived: flag.archived_at.is_some(),
        states: states.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for after in [
            After::Segment("beta".to_owned()),
            After::Flag("s.ü".to_owned()),
            After::Flag(String::new()),
        ] {
            assert_eq!(After::parse(&after.text()), Ok(after));
        }
        for text in ["", "x", "62", "ff", "beta"] {
            assert!(After::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_page_ends_after_its_last_item_or_byte() {
        let listed = |bytes| {
            let item = |key: &str| Listed {
                key: key.to_owned(),
                bytes,
            };
            vec![item("a"), item("b"), item("c")]
        };
        let taken = |items, bytes| {
            let mut room = Room {
                items,
                bytes: MAX_BYTES,
                last: None,
                is_over: false,
            };
            let keys = room.take(listed(bytes), After::Flag);
            (keys.len(), room.is_over)
        };
        assert_eq!(taken(3, 1), (3, false));
        assert_eq!(taken(2, 1), (2, true));
        assert_eq!(taken(3, MAX_BYTES), (1, true));
        assert_eq!(taken(3, MAX_BYTES / 2), (2, true));
    }
}
