//! The names of actions: those of the contract, including what is not built yet, and ours: of second factors, of organizations
//! (docs/decisions/organizations.md), of one's own account and ended sessions (docs/decisions/people.md), of access tokens and
//! service accounts, of references in code, and of sign-in by providers.

/// The words before the dot of what is told with its project.
pub const IN_PROJECT: [&str; 10] = [
    "project",
    "environment",
    "flag",
    "segment",
    "api_key",
    "approval",
    "change_set",
    "grant",
    "migration",
    "repository",
];

/// By the word before the dot.
const ACTIONS: &[(&str, &[&str])] = &[
    ("project", &["created", "updated", "deleted"]),
    (
        "environment",
        &[
            "created",
            "updated",
            "deleted",
            "sampling_changed",
            "examples_shown",
        ],
    ),
    ("segment", &["created", "updated", "deleted"]),
    ("webhook", &["created", "updated", "deleted"]),
    ("role", &["created", "updated", "deleted"]),
    (
        "sign_in",
        &[
            "provider_created",
            "provider_updated",
            "provider_deleted",
            "domain_added",
            "domain_proven",
            "domain_lost",
            "identity_unbound",
            "domain_removed",
            "rules_changed",
            "member_provisioned",
        ],
    ),
    (
        "flag",
        &[
            "created",
            "updated",
            "deleted",
            "archived",
            "restored",
            "killed",
            "promoted",
            "rolled_back",
            "scheduled_toggle",
            "state_updated",
            "approved_change_applied",
        ],
    ),
    ("edge", &["enrolled", "revoked"]),
    (
        "access_token",
        &["created", "rotated", "revoked", "refused"],
    ),
    ("service_account", &["created", "updated", "deleted"]),
    ("repository", &["scanned", "forgotten"]),
    (
        "change_set",
        &[
            "created",
            "updated",
            "deleted",
            "requested",
            "approved",
            "rejected",
            "reopened",
            "scheduled",
            "applied",
            "failed",
        ],
    ),
    ("grant", &["created", "updated", "deleted"]),
    (
        "api_key",
        &[
            "created",
            "rotated",
            "revoked",
            "rehearsal_started",
            "rehearsal_stopped",
        ],
    ),
    (
        "member",
        &[
            "invited",
            "joined",
            "role_changed",
            "removed",
            "permissions_updated",
            "sessions_ended",
        ],
    ),
    (
        "approval",
        &["created", "approved", "rejected", "withdrawn", "commented"],
    ),
    (
        "auth",
        &[
            "registered",
            "login",
            "login_failed",
            "locked",
            "logout",
            "email_verified",
            "password_reset",
            "password_changed",
            "name_changed",
            "email_changed",
            "unlocked",
            "one_time_token_issued",
            "token_reused",
        ],
    ),
    (
        "scim",
        &[
            "user_provisioned",
            "user_updated",
            "user_deactivated",
            "user_removed",
            "token_created",
            "token_revoked",
        ],
    ),
    (
        "billing",
        &[
            "checkout_started",
            "subscription_activated",
            "subscription_updated",
            "subscription_canceled",
            "payment_failed",
            "gateway_changed",
            "plan_changed",
        ],
    ),
    ("migration", &["started", "completed", "failed"]),
    ("metrics", &["counters_reset", "impressions_flushed"]),
    ("mfa", &["enabled", "disabled", "enrolment_started"]),
    (
        "organization",
        &["updated", "deleted", "soft_deleted", "restored"],
    ),
];

/// All the names.
pub fn names() -> impl Iterator<Item = String> {
    let named = |(word, all): &'static (&'static str, &'static [&'static str])| {
        all.iter().map(move |happened| format!("{word}.{happened}"))
    };
    ACTIONS.iter().flat_map(named)
}

/// Whether an action has one of the names.
pub fn is_named(resource_type: &str, happened: &str) -> bool {
    ACTIONS
        .iter()
        .any(|(word, all)| *word == resource_type && all.contains(&happened))
}
