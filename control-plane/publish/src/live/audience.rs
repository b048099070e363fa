//! Which events a listener may receive: events about the kinds of things that the member may read.

use std::sync::Arc;

use domain::{
    me::model::permissions,
    members::model::Role,
    roles::keys::{EnvironmentsRead, MetricsRead, Permission, needed_to_read},
};

/// The permissions of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Audience {
    keys: Vec<&'static str>,
    is_manager: bool,
}

/// Events other than changes. They require the permissions of the corresponding requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    /// Edges that connected, disconnected, or are connected differently, as in `/v1/edges`.
    Edges,
    /// Acknowledgements of a version by edges.
    Waves,
    /// The rate of evaluations.
    Usage,
}

impl Audience {
    /// The audience of a member with this role and custom role.
    pub(super) fn of(role: Role, custom: Option<&Arc<[String]>>) -> Self {
        Self {
            keys: permissions(role, custom.map(|keys| &**keys)),
            is_manager: matches!(role, Role::Owner | Role::Admin),
        }
    }

    /// Whether it may receive this topic.
    pub(super) fn may_receive(&self, topic: Topic) -> bool {
        let needed = match topic {
            Topic::Edges | Topic::Waves => EnvironmentsRead::NEEDS,
            Topic::Usage => MetricsRead::NEEDS,
        };
        self.is_manager && needed.keys().iter().any(|key| self.keys.contains(key))
    }

    /// Whether it may receive changes of this type of resource.
    pub(super) fn may_receive_changes_of(&self, resource_type: &str) -> bool {
        needed_to_read(resource_type).is_none_or(|key| self.keys.contains(&key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{events::Action, roles::keys::KEYS};

    #[test]
    fn every_action_is_of_a_thing_that_some_key_opens() {
        for action in Action::ALL {
            let known =
                needed_to_read(action.resource_type()).is_none_or(|key| KEYS.contains(&key));
            assert!(known, "{action:?}");
            let owner = Audience::of(Role::Owner, None);
            assert!(
                owner.may_receive_changes_of(action.resource_type()),
                "{action:?}"
            );
        }
    }

    #[test]
    fn a_custom_role_may_receive_changes_of_what_it_may_read() {
        let custom: Arc<[String]> = ["flags.read".to_owned()].into();
        let audience = Audience::of(Role::Admin, Some(&custom));
        assert!(audience.may_receive_changes_of("flag"));
        assert!(audience.may_receive_changes_of("organization"));
        for other in ["segment", "member", "auth", "webhook", "something"] {
            assert!(!audience.may_receive_changes_of(other), "{other}");
        }
    }

    #[test]
    fn what_is_not_a_change_is_for_owners_and_admins_with_the_key() {
        let may_receive = |role, custom: Option<&[&str]>| {
            let custom: Option<Arc<[String]>> =
                custom.map(|keys| keys.iter().map(|key| (*key).to_owned()).collect());
            let audience = Audience::of(role, custom.as_ref());
            [Topic::Edges, Topic::Waves, Topic::Usage].map(|topic| audience.may_receive(topic))
        };
        assert_eq!(may_receive(Role::Owner, None), [true; 3]);
        assert_eq!(may_receive(Role::Admin, None), [true; 3]);
        assert_eq!(may_receive(Role::Developer, None), [false; 3]);
        assert_eq!(may_receive(Role::Viewer, None), [false; 3]);
        let held = Some(&["metrics.read"][..]);
        assert_eq!(may_receive(Role::Admin, held), [false, false, true]);
        let held = Some(&["environments.read"][..]);
        assert_eq!(may_receive(Role::Admin, held), [true, true, false]);
    }
}
