//! Filter and order of the overview.

use serde::Deserialize;

use crate::{flags::model::FlagType, search::words};
use base::{
    ids::{EnvId, MemberId},
    input::Invalid,
    named::EnvRef,
};

/// No name that a person would search for is longer.
const MAX_TEXT: usize = 200;

/// As sent. Empty fields count as absent.
#[derive(Debug, Default, Deserialize)]
pub struct RawFilter {
    q: Option<String>,
    tag: Option<String>,
    #[serde(rename = "type")]
    flag_type: Option<String>,
    env_id: Option<String>,
    state: Option<String>,
    stale: Option<String>,
    owner_id: Option<String>,
    sort: Option<String>,
    order: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Filter {
    /// Words that are all part of the key, the name, a tag or the description, in any case.
    pub(super) words: Vec<String>,
    pub(super) tag: Option<String>,
    pub(super) flag_type: Option<FlagType>,
    /// The environment of `state`; any without it.
    pub(super) env_id: Option<EnvId>,
    pub(super) state: Option<State>,
    pub(super) stale: Option<bool>,
    pub(super) owner: Option<Owner>,
    pub(super) sort: Sort,
    pub(super) is_descending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// For all contexts.
    On,
    /// For some contexts, by rules, variants or a rollout.
    Partial,
    /// For none; also without a stored state.
    Off,
    /// With a pending due time.
    Scheduled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Is(MemberId),
    /// Flags that nobody owns.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Key,
    Name,
    CreatedAt,
    UpdatedAt,
    LastEvaluatedAt,
}

impl RawFilter {
    /// The environment that is asked for, by id or slug.
    pub fn environment(&self) -> Option<EnvRef> {
        EnvRef::given(self.env_id.as_deref())
    }

    /// Checks the fields, with the environment that is meant, for this member.
    pub fn read(self, env_id: Option<EnvId>, member_id: MemberId) -> Result<Filter, Invalid> {
        let sorts = [
            ("key", Sort::Key),
            ("name", Sort::Name),
            ("created_at", Sort::CreatedAt),
            ("updated_at", Sort::UpdatedAt),
            ("last_evaluated_at", Sort::LastEvaluatedAt),
        ];
        let states = [
            ("on", State::On),
            ("off", State::Off),
            ("partial", State::Partial),
            ("scheduled", State::Scheduled),
        ];
        let orders = [("asc", false), ("desc", true)];
        let types = [
            FlagType::Boolean,
            FlagType::String,
            FlagType::Number,
            FlagType::Json,
            FlagType::Ab,
        ]
        .map(|flag_type| (flag_type.as_str(), flag_type));
        Ok(Filter {
            words: words(text("q", self.q)?.as_deref()),
            tag: text("tag", self.tag)?,
            flag_type: one_of("type", self.flag_type, &types)?,
            env_id,
            state: one_of("state", self.state, &states)?,
            stale: one_of("stale", self.stale, &[("true", true), ("false", false)])?,
            owner: owner(self.owner_id, member_id)?,
            sort: one_of("sort", self.sort, &sorts)?.unwrap_or(Sort::CreatedAt),
            is_descending: one_of("order", self.order, &orders)?.unwrap_or(false),
        })
    }
}

fn owner(text: Option<String>, me: MemberId) -> Result<Option<Owner>, Invalid> {
    Ok(match given(text).as_deref() {
        None => None,
        Some("me") => Some(Owner::Is(me)),
        Some("none") => Some(Owner::None),
        Some(text) => {
            let invalid = || Invalid::new("owner_id must be the id of a member, me or none");
            Some(Owner::Is(MemberId::parse(text).ok_or_else(invalid)?))
        }
    })
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn text(field: &str, text: Option<String>) -> Result<Option<String>, Invalid> {
    let text = given(text);
    match &text {
        Some(text) if text.chars().count() > MAX_TEXT => Err(Invalid::new(format!(
            "{field} must be at most {MAX_TEXT} characters"
        ))),
        _ => Ok(text),
    }
}

fn one_of<T: Copy>(
    field: &str,
    text: Option<String>,
    known: &[(&str, T)],
) -> Result<Option<T>, Invalid> {
    let Some(text) = given(text) else {
        return Ok(None);
    };
    let found = known.iter().find(|(name, _)| *name == text);
    let found = found.map(|(_, value)| Some(*value));
    found.ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        Invalid::new(format!("{field} must be one of {}", names.join(", ")))
    })
}
