//! What the service calls things.

use std::collections::BTreeMap;

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
}

const UNKNOWN: &str = "00000000-0000-7000-8000-000000000999";

impl Names {
    pub fn env(&self, env: u8) -> &str {
        self.envs.get(&env).map_or(UNKNOWN, String::as_str)
    }

    pub fn made(&self, by: usize) -> &str {
        self.made.get(&by).map_or(UNKNOWN, String::as_str)
    }

    pub fn role(&self, role: Role) -> Option<&str> {
        let place = Role::ALL.iter().position(|one| *one == role)?;
        let id = self.roles.get(place.checked_sub(1)?)?;
        Some(id)
    }
}
