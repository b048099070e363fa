//! The permission keys that endpoints require of a custom role. Each is a type, so that a handler's signature names its key and
//! a misspelt one does not compile.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No key: operations on one's own account, and those open to every member.
    Nothing,
    One(&'static str),
    /// At least one of these. Which one depends on the body, so the operation checks it.
    AnyOf(&'static [&'static str]),
}

impl Needs {
    pub fn is_met_by(self, held: &[String]) -> bool {
        self.keys().is_empty() || self.keys().iter().any(|key| held.iter().any(|h| h == key))
    }

    /// The keys, one of which is required; empty for no requirement.
    pub fn keys(&self) -> &[&'static str] {
        match self {
            Self::Nothing => &[],
            Self::One(key) => std::slice::from_ref(key),
            Self::AnyOf(keys) => keys,
        }
    }
}

/// A permission that a handler's signature can name.
pub trait Permission: Send + Sync + 'static {
    const NEEDS: Needs;
}

macro_rules! keys {
    ($($name:ident = $key:literal;)+) => {
        /// The keys that endpoints require. A role may contain others, which allow nothing.
        pub const KEYS: &[&str] = &[$($key),+];

        $(
            #[doc = concat!("`", $key, "`")]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Permission for $name {
                const NEEDS: Needs = Needs::One($key);
            }
        )+
    };
}

keys! {
    ProjectsRead = "projects.read";
    ProjectsCreate = "projects.create";
    ProjectsDelete = "projects.delete";
    EnvironmentsRead = "environments.read";
    EnvironmentsCreate = "environments.create";
    EnvironmentsDelete = "environments.delete";
    FlagsRead = "flags.read";
    FlagsCreate = "flags.create";
    FlagsUpdate = "flags.update";
    FlagsDelete = "flags.delete";
    FlagsToggle = "flags.toggle";
    FlagsEditRules = "flags.edit_rules";
    FlagsPromote = "flags.promote";
    FlagsKill = "flags.kill";
    SegmentsRead = "segments.read";
    SegmentsWrite = "segments.write";
    ApprovalsRead = "approvals.read";
    ApprovalsCreate = "approvals.create";
    ApprovalsReview = "approvals.review";
    MembersRead = "members.read";
    MembersManage = "members.manage";
    ApiKeysRead = "api_keys.read";
    ApiKeysManage = "api_keys.manage";
    WebhooksManage = "webhooks.manage";
    RolesManage = "roles.manage";
    AuditRead = "audit.read";
    MetricsRead = "metrics.read";
    MetricsManage = "metrics.manage";
    RehearsalsRun = "rehearsals.run";
    WhatIfExamples = "what_if.examples";
    MigrationRun = "migration.run";
    BillingRead = "billing.read";
    BillingManage = "billing.manage";
}

/// The permission to read a kind of thing; `None` if every member may.
pub fn needed_to_read(resource_type: &str) -> Option<&'static str> {
    Some(match resource_type {
        "organization" => return None,
        "project" => "projects.read",
        "environment" | "edge" => "environments.read",
        "segment" => "segments.read",
        "flag" | "repository" => "flags.read",
        "api_key" => "api_keys.read",
        "approval" | "grant" => "approvals.read",
        "member" | "service_account" => "members.read",
        "role" => "roles.manage",
        "scim" | "sign_in" => "members.manage",
        "billing" => "billing.read",
        "webhook" => "webhooks.manage",
        "migration" => "migration.run",
        "metrics" => "metrics.read",
        // Sign-ins and second factors are only in the audit log, and so are unknown types.
        _ => "audit.read",
    })
}

#[derive(Clone, Copy, Debug)]
pub struct NoKey;

impl Permission for NoKey {
    const NEEDS: Needs = Needs::Nothing;
}

/// One of the keys for the two halves of a flag state; the body decides which.
#[derive(Clone, Copy, Debug)]
pub struct FlagsToggleOrEditRules;

impl Permission for FlagsToggleOrEditRules {
    const NEEDS: Needs = Needs::AnyOf(&["flags.toggle", "flags.edit_rules"]);
}

/// One of the keys of those who take part in a request for approval.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalsCreateOrReview;

impl Permission for ApprovalsCreateOrReview {
    const NEEDS: Needs = Needs::AnyOf(&["approvals.create", "approvals.review"]);
}

/// One of the keys for bulk edits of flags; the body decides which.
#[derive(Clone, Copy, Debug)]
pub struct FlagsBulk;

impl Permission for FlagsBulk {
    const NEEDS: Needs = Needs::AnyOf(&[
        "flags.toggle",
        "flags.update",
        "flags.promote",
        "flags.delete",
    ]);
}

/// One of the keys for reading definitions; what the others are for is left out.
#[derive(Clone, Copy, Debug)]
pub struct ContentRead;

impl Permission for ContentRead {
    const NEEDS: Needs = Needs::AnyOf(&["flags.read", "segments.read", "environments.read"]);
}

/// One of the keys for changing definitions; the body decides which.
#[derive(Clone, Copy, Debug)]
pub struct ContentWrite;

impl Permission for ContentWrite {
    const NEEDS: Needs = Needs::AnyOf(&[
        "flags.create",
        "flags.update",
        "flags.delete",
        "flags.toggle",
        "flags.edit_rules",
        "segments.write",
        "environments.create",
        "environments.delete",
    ]);
}

#[cfg(test)]
mod tests {
    use super::{
        Needs::{AnyOf, Nothing, One},
        *,
    };

    #[test]
    fn one_of_several_keys_is_enough() {
        let held = ["flags.toggle".to_owned()];
        assert!(Nothing.is_met_by(&[]));
        assert!(One("flags.toggle").is_met_by(&held));
        assert!(!One("flags.kill").is_met_by(&held));
        assert!(AnyOf(&["flags.edit_rules", "flags.toggle"]).is_met_by(&held));
        assert!(!AnyOf(&["flags.edit_rules", "flags.toggle"]).is_met_by(&[]));
        for needs in [
            FlagsToggleOrEditRules::NEEDS,
            FlagsBulk::NEEDS,
            ContentRead::NEEDS,
            ContentWrite::NEEDS,
        ] {
            assert!(needs.keys().iter().all(|key| KEYS.contains(key)));
        }
    }
}
