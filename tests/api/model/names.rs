//! What the service calls things.

use std::collections::BTreeMap;

use serving::clock::Clock;
use time::{Duration, format_description::well_known::Rfc3339};

use super::operations::{Actor, Role};

/// Ids.
pub struct Names {
    pub project: String,
    /// The member.
    pub developer: String,
    pub users: BTreeMap<String, Actor>,
    pub roles: Vec<String>,
    pub envs: BTreeMap<u8, String>,
    pub made: BTreeMap<usize, String>,
    /// The time that the service sees.
    pub clock: Clock,
}

const UNKNOWN: &str = "00000000-0000-7000-8000-000000000999";

impl Names {
    pub fn env(&self, env: u8) -> &str {
        self.envs.get(&env).map_or(UNKNOWN, String::as_str)
    }

    pub fn made(&self, by: usize) -> &str {
        self.made.get(&by).map_or(UNKNOWN, String::as_str)
    }

    /// So many seconds from now; never, as a state is told so.
    pub fn in_seconds(&self, seconds: Option<u8>) -> String {
        let at = seconds.map(|seconds| self.clock.now() + Duration::seconds(seconds.into()));
        at.map_or_else(String::new, |at| at.format(&Rfc3339).expect("a time"))
    }

    pub fn role(&self, role: Role) -> Option<&str> {
        let place = Role::ALL.iter().position(|one| *one == role)?;
        let id = self.roles.get(place.checked_sub(1)?)?;
        Some(id)
    }
}
