//! Flagsmith: what its API v1 sends of a project (`wire`), in Halyard's terms (`translate`).

mod flag;
mod segment;
mod translate;
mod value;
pub mod wire;

pub use self::{
    translate::{EnvironmentRead, Override, Project, translate},
    value::Held,
};
