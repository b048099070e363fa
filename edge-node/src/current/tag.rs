//! The tag of what is served: different versions or contents have different tags.

use protocol::{eval::Environment, wire::sdk};

/// That of everything that is served, API keys included.
pub(crate) fn configuration_tag(environment: &Environment) -> String {
    sdk::tag(environment.head().version, environment.digest())
}
