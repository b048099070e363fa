//! What a project has, as the API shows it and takes it, and as files say it.

mod model;
mod of_project;
mod render;
mod same;

use std::collections::BTreeMap;

pub use self::{
    model::{Environment, Flag, Segment, State},
    render::{Format, environments, flag, render, segment},
    same::{changed_fields, same},
};

/// Environments, segments, and flags with their states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// In the order in which files write their states.
    pub environments: Vec<Environment>,
    /// By key.
    pub segments: BTreeMap<String, Segment>,
    /// By key.
    pub flags: BTreeMap<String, Flag>,
}

impl Content {
    /// The slugs of the environments, in their order.
    pub fn slugs(&self) -> Vec<&str> {
        self.environments
            .iter()
            .map(|one| one.slug.as_str())
            .collect()
    }
}
