//! Every endpoint of the management API and who may call it: decisions, chapter 10, as far as it is built.
//! `tests/api/access.rs` proves each row, and that none is missing.

use reqwest::Method;

/// Who may call an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody: no token is asked for.
    Public,
    /// Every member.
    Member,
    /// Owner, admin, developer.
    Editor,
    /// Owner, admin.
    Manager,
}

impl Access {
    /// Whether a member with this role may call.
    #[must_use]
    pub fn admits(self, role: &str) -> bool {
        match self {
            Self::Public | Self::Member => true,
            Self::Editor => matches!(role, "owner" | "admin" | "developer"),
            Self::Manager => matches!(role, "owner" | "admin"),
        }
    }
}

/// One endpoint.
#[derive(Clone, Debug)]
pub struct Row {
    pub method: Method,
    /// As the API document writes it.
    pub path: &'static str,
    pub access: Access,
}

impl Row {
    /// Whether the endpoint reads a body that has to be there.
    #[must_use]
    pub fn takes_body(&self) -> bool {
        let without = [
            "/v1/auth/logout",
            "/v1/auth/send-verification-email",
            "/v1/auth/one-time-token",
            "/mfa/enable",
            "/kill",
            "/rotate",
        ];
        matches!(self.method, Method::POST | Method::PUT | Method::PATCH)
            && !without.iter().any(|end| self.path.ends_with(end))
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    use Access::{Editor, Manager, Member, Public};

    const PROJECT: &str = "/v1/projects/{projectID}";
    const ENVIRONMENTS: &str = "/v1/projects/{projectID}/environments";
    const ENVIRONMENT: &str = "/v1/projects/{projectID}/environments/{envID}";
    const FLAGS: &str = "/v1/projects/{projectID}/flags";
    const FLAG: &str = "/v1/projects/{projectID}/flags/{flagKey}";
    const STATE: &str = "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}";
    const SEGMENTS: &str = "/v1/projects/{projectID}/segments";
    const SEGMENT: &str = "/v1/projects/{projectID}/segments/{segmentKey}";
    const KEYS: &str = "/v1/environments/{envID}/api-keys";
    const PROJECT_KEYS: &str = "/v1/projects/{projectID}/environments/{envID}/api-keys";

    [
        (Method::POST, "/v1/auth/initiate-signup", Public),
        (Method::POST, "/v1/auth/resend-signup-otp", Public),
        (Method::POST, "/v1/auth/complete-signup", Public),
        (Method::POST, "/v1/auth/register", Public),
        (Method::POST, "/v1/auth/login", Public),
        (Method::POST, "/v1/auth/refresh", Public),
        (Method::POST, "/v1/auth/logout", Member),
        (Method::POST, "/v1/auth/send-verification-email", Member),
        (Method::GET, "/v1/auth/verify-email", Public),
        (Method::POST, "/v1/auth/one-time-token", Member),
        (Method::POST, "/v1/auth/token-exchange", Public),
        (Method::POST, "/v1/auth/forgot-password", Public),
        (Method::POST, "/v1/auth/reset-password", Public),
        (Method::POST, "/v1/auth/mfa/enable", Member),
        (Method::POST, "/v1/auth/mfa/verify", Member),
        (Method::POST, "/v1/auth/mfa/disable", Member),
        (Method::GET, "/v1/auth/mfa/status", Member),
        (Method::GET, "/v1/audit", Member),
        (Method::GET, "/v1/onboarding", Member),
        (Method::PATCH, "/v1/onboarding", Member),
        (Method::POST, "/v1/sales/inquiry", Public),
        (Method::POST, "/v1/projects", Editor),
        (Method::GET, "/v1/projects", Member),
        (Method::GET, PROJECT, Member),
        (Method::PUT, PROJECT, Editor),
        (Method::DELETE, PROJECT, Manager),
        (Method::POST, ENVIRONMENTS, Editor),
        (Method::GET, ENVIRONMENTS, Member),
        (Method::GET, ENVIRONMENT, Member),
        (Method::PUT, ENVIRONMENT, Editor),
        (Method::DELETE, ENVIRONMENT, Manager),
        (Method::POST, FLAGS, Editor),
        (Method::GET, FLAGS, Member),
        (Method::GET, FLAG, Member),
        (Method::PUT, FLAG, Editor),
        (Method::DELETE, FLAG, Editor),
        (
            Method::POST,
            "/v1/projects/{projectID}/flags/{flagKey}/promote",
            Editor,
        ),
        (
            Method::POST,
            "/v1/projects/{projectID}/flags/{flagKey}/kill",
            Editor,
        ),
        (Method::GET, STATE, Member),
        (Method::PUT, STATE, Editor),
        (Method::POST, "/v1/explain", Member),
        (Method::GET, "/v1/edges", Manager),
        (Method::POST, SEGMENTS, Editor),
        (Method::GET, SEGMENTS, Member),
        (Method::GET, SEGMENT, Member),
        (Method::PUT, SEGMENT, Editor),
        (Method::DELETE, SEGMENT, Editor),
        (Method::POST, "/v1/approvals", Editor),
        (Method::GET, "/v1/approvals", Member),
        (Method::GET, "/v1/approvals/{approvalID}", Member),
        (Method::POST, "/v1/approvals/{approvalID}/review", Manager),
        (Method::POST, KEYS, Manager),
        (Method::GET, KEYS, Member),
        (Method::POST, PROJECT_KEYS, Manager),
        (Method::GET, PROJECT_KEYS, Member),
        (Method::DELETE, "/v1/api-keys/{keyID}", Manager),
        (Method::POST, "/v1/api-keys/{keyID}/rotate", Manager),
    ]
    .into_iter()
    .map(|(method, path, access)| Row {
        method,
        path,
        access,
    })
    .collect()
}
