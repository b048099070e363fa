//! Which permission key an endpoint needs of a member who has a custom role (decisions 11.3).
//!
//! One table for the whole API. An endpoint that is not in it is closed to those members, so forgetting a row never opens
//! anything; `tests/api/access.rs` compares the table with the API document in both directions.

/// What a custom role has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No key: what members do with their own account, and what every member may do.
    Nothing,
    /// This key.
    One(&'static str),
    /// One of these at least; which ones depends on the body, and the handler asks for them
    /// ([`crate::http::access::Caller::require`]).
    AnyOf(&'static [&'static str]),
}

use Needs::{AnyOf, Nothing, One};

impl Needs {
    /// Whether these keys are enough.
    #[must_use]
    pub fn is_met_by(self, held: &[String]) -> bool {
        let holds = |key: &str| held.iter().any(|other| other == key);
        match self {
            Nothing => true,
            One(key) => holds(key),
            AnyOf(keys) => keys.iter().any(|key| holds(key)),
        }
    }
}

/// Method, path as the API document writes it, and what it needs, for every endpoint that takes a bearer token.
pub const TABLE: &[(&str, &str, Needs)] = &[
    ("POST", "/v1/auth/logout", Nothing),
    ("POST", "/v1/auth/send-verification-email", Nothing),
    ("POST", "/v1/auth/one-time-token", Nothing),
    ("POST", "/v1/auth/mfa/enable", Nothing),
    ("POST", "/v1/auth/mfa/verify", Nothing),
    ("POST", "/v1/auth/mfa/disable", Nothing),
    ("GET", "/v1/auth/mfa/status", Nothing),
    ("GET", "/v1/onboarding", Nothing),
    ("PATCH", "/v1/onboarding", Nothing),
    ("GET", "/v1/members", One("members.read")),
    ("POST", "/v1/members/invite", One("members.manage")),
    ("PUT", "/v1/members/{memberID}", One("members.manage")),
    ("DELETE", "/v1/members/{memberID}", One("members.manage")),
    (
        "GET",
        "/v1/members/{memberID}/permissions",
        One("members.read"),
    ),
    (
        "PUT",
        "/v1/members/{memberID}/permissions",
        One("members.manage"),
    ),
    ("GET", "/v1/projects", One("projects.read")),
    ("POST", "/v1/projects", One("projects.create")),
    ("GET", "/v1/projects/{projectID}", One("projects.read")),
    ("PUT", "/v1/projects/{projectID}", One("projects.create")),
    ("DELETE", "/v1/projects/{projectID}", One("projects.delete")),
    (
        "GET",
        "/v1/projects/{projectID}/environments",
        One("environments.read"),
    ),
    (
        "POST",
        "/v1/projects/{projectID}/environments",
        One("environments.create"),
    ),
    (
        "GET",
        "/v1/projects/{projectID}/environments/{envID}",
        One("environments.read"),
    ),
    (
        "PUT",
        "/v1/projects/{projectID}/environments/{envID}",
        One("environments.create"),
    ),
    (
        "DELETE",
        "/v1/projects/{projectID}/environments/{envID}",
        One("environments.delete"),
    ),
    ("GET", "/v1/projects/{projectID}/flags", One("flags.read")),
    (
        "POST",
        "/v1/projects/{projectID}/flags",
        One("flags.create"),
    ),
    (
        "GET",
        "/v1/projects/{projectID}/flags/{flagKey}",
        One("flags.read"),
    ),
    (
        "PUT",
        "/v1/projects/{projectID}/flags/{flagKey}",
        One("flags.update"),
    ),
    (
        "DELETE",
        "/v1/projects/{projectID}/flags/{flagKey}",
        One("flags.delete"),
    ),
    (
        "POST",
        "/v1/projects/{projectID}/flags/{flagKey}/promote",
        One("flags.promote"),
    ),
    (
        "POST",
        "/v1/projects/{projectID}/flags/{flagKey}/kill",
        One("flags.kill"),
    ),
    (
        "GET",
        "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}",
        One("flags.read"),
    ),
    (
        "PUT",
        "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}",
        AnyOf(&["flags.toggle", "flags.edit_rules"]),
    ),
    ("POST", "/v1/explain", One("flags.read")),
    (
        "GET",
        "/v1/projects/{projectID}/segments",
        One("segments.read"),
    ),
    (
        "POST",
        "/v1/projects/{projectID}/segments",
        One("segments.write"),
    ),
    (
        "GET",
        "/v1/projects/{projectID}/segments/{segmentKey}",
        One("segments.read"),
    ),
    (
        "PUT",
        "/v1/projects/{projectID}/segments/{segmentKey}",
        One("segments.write"),
    ),
    (
        "DELETE",
        "/v1/projects/{projectID}/segments/{segmentKey}",
        One("segments.write"),
    ),
    ("GET", "/v1/approvals", One("approvals.read")),
    ("POST", "/v1/approvals", One("approvals.create")),
    ("GET", "/v1/approvals/{approvalID}", One("approvals.read")),
    (
        "POST",
        "/v1/approvals/{approvalID}/review",
        One("approvals.review"),
    ),
    (
        "GET",
        "/v1/environments/{envID}/api-keys",
        One("api_keys.read"),
    ),
    (
        "POST",
        "/v1/environments/{envID}/api-keys",
        One("api_keys.manage"),
    ),
    (
        "GET",
        "/v1/projects/{projectID}/environments/{envID}/api-keys",
        One("api_keys.read"),
    ),
    (
        "POST",
        "/v1/projects/{projectID}/environments/{envID}/api-keys",
        One("api_keys.manage"),
    ),
    ("DELETE", "/v1/api-keys/{keyID}", One("api_keys.manage")),
    (
        "POST",
        "/v1/api-keys/{keyID}/rotate",
        One("api_keys.manage"),
    ),
    ("GET", "/v1/edges", One("environments.read")),
    ("GET", "/v1/audit", One("audit.read")),
    ("GET", "/v1/metrics/evaluations", One("metrics.read")),
    (
        "POST",
        "/v1/metrics/evaluations/reset",
        One("metrics.manage"),
    ),
    ("GET", "/v1/metrics/impressions", One("metrics.read")),
    (
        "POST",
        "/v1/metrics/impressions/flush",
        One("metrics.manage"),
    ),
    ("GET", "/v1/metrics/unknown-flags", One("metrics.read")),
    ("GET", "/v1/roles", One("roles.manage")),
    ("POST", "/v1/roles", One("roles.manage")),
    ("GET", "/v1/roles/{roleID}", One("roles.manage")),
    ("PUT", "/v1/roles/{roleID}", One("roles.manage")),
    ("DELETE", "/v1/roles/{roleID}", One("roles.manage")),
];

/// What an endpoint needs; `None` for one that is not in the table. HEAD is answered by what answers GET.
#[must_use]
pub fn needs(method: &str, path: &str) -> Option<Needs> {
    let method = if method == "HEAD" { "GET" } else { method };
    TABLE
        .iter()
        .find(|row| row.0 == method && row.1 == path)
        .map(|row| row.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::model::KEYS;

    #[test]
    fn the_table_asks_for_known_keys_only() {
        for (method, path, needs) in TABLE {
            let known = match needs {
                Nothing => true,
                One(key) => KEYS.contains(key),
                AnyOf(keys) => !keys.is_empty() && keys.iter().all(|key| KEYS.contains(key)),
            };
            assert!(known, "{method} {path}");
        }
    }

    #[test]
    fn one_of_several_keys_is_enough() {
        let held = ["flags.toggle".to_owned()];
        assert!(Nothing.is_met_by(&[]));
        assert!(One("flags.toggle").is_met_by(&held));
        assert!(!One("flags.kill").is_met_by(&held));
        assert!(AnyOf(&["flags.edit_rules", "flags.toggle"]).is_met_by(&held));
        assert!(!AnyOf(&["flags.edit_rules", "flags.toggle"]).is_met_by(&[]));
    }

    #[test]
    fn what_is_not_in_the_table_is_not_known() {
        assert_eq!(needs("HEAD", "/v1/projects"), Some(One("projects.read")));
        assert_eq!(needs("PATCH", "/v1/projects"), None);
        assert_eq!(needs("GET", "/v1/project"), None);
    }
}
