//! Flags that differ, as the API shows them.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::flags::states::{model::FlagState, store::Stated};
use base::ids::{EnvId, FlagId};

/// A flag with different states in two environments.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DifferingFlag)]
pub struct Differing {
    /// Unique in the project.
    key: String,
    /// What people call it.
    name: String,
    /// The fields of the states that differ.
    differs: Vec<String>,
    /// The state in the one environment; `null` if none was ever stored.
    #[schema(required)]
    from: Option<FlagState>,
    /// The state in the other.
    #[schema(required)]
    to: Option<FlagState>,
}

pub(super) struct Flag {
    pub(super) id: FlagId,
    pub(super) key: String,
    pub(super) name: String,
    pub(super) differs: Vec<String>,
}

impl Differing {
    pub(super) fn with_states(flags: Vec<Flag>, states: Vec<Stated>, from_id: EnvId) -> Vec<Self> {
        let (from, to): (Vec<_>, Vec<_>) = states
            .into_iter()
            .partition(|stated| stated.env_id == from_id);
        let by_flag = |all: Vec<Stated>| -> HashMap<_, _> {
            let all = all.into_iter();
            all.map(|stated| (stated.flag_id, stated.state)).collect()
        };
        let (mut from, mut to) = (by_flag(from), by_flag(to));
        let differing = flags.into_iter().map(|flag| Self {
            from: from.remove(&flag.id),
            to: to.remove(&flag.id),
            key: flag.key,
            name: flag.name,
            differs: flag.differs,
        });
        differing.collect()
    }
}
