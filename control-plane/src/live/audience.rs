//! Who may hear of what. An event names a thing, so it is told to those who may read such things, and to nobody else.

use std::sync::Arc;

use crate::{me::model::permissions, members::model::Role};

/// What a listener may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Audience {
    keys: Vec<&'static str>,
}

impl Audience {
    /// That of a member with this role, and this custom role.
    pub(super) fn of(role: Role, custom: Option<&Arc<[String]>>) -> Self {
        Self {
            keys: permissions(role, custom.map(|keys| &**keys)),
        }
    }

    /// Whether it may hear of a change of such a thing.
    pub(super) fn hears_of(&self, resource_type: &str) -> bool {
        match needed(resource_type) {
            Needed::Nothing => true,
            Needed::Key(key) => self.keys.contains(&key),
        }
    }
}

/// What somebody needs to read a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needed {
    Nothing,
    Key(&'static str),
}

fn needed(resource_type: &str) -> Needed {
    Needed::Key(match resource_type {
        "organization" => return Needed::Nothing,
        "project" => "projects.read",
        "environment" => "environments.read",
        "segment" => "segments.read",
        "flag" => "flags.read",
        "api_key" => "api_keys.read",
        "approval" => "approvals.read",
        "member" => "members.read",
        "role" => "roles.manage",
        "scim" => "members.manage",
        "billing" => "billing.read",
        "webhook" => "webhooks.manage",
        "migration" => "migration.run",
        "metrics" => "metrics.read",
        // Sign-ins and second factors are in the trail alone. What is not known yet is there too.
        _ => "audit.read",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{events::Action, roles::keys::KEYS};

    #[test]
    fn every_action_is_of_a_thing_that_some_key_opens() {
        for action in Action::ALL {
            let known = match needed(action.resource_type()) {
                Needed::Nothing => true,
                Needed::Key(key) => KEYS.contains(&key),
            };
            assert!(known, "{action:?}");
            let owner = Audience::of(Role::Owner, None);
            assert!(owner.hears_of(action.resource_type()), "{action:?}");
        }
    }

    #[test]
    fn a_custom_role_hears_of_what_it_may_read() {
        let custom: Arc<[String]> = ["flags.read".to_owned()].into();
        let audience = Audience::of(Role::Admin, Some(&custom));
        assert!(audience.hears_of("flag"));
        assert!(audience.hears_of("organization"));
        for other in ["segment", "member", "auth", "webhook", "something"] {
            assert!(!audience.hears_of(other), "{other}");
        }
    }
}
