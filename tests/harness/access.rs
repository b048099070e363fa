//! Every endpoint of the management API, who may call it, and which key a custom role needs for it.
//! `tests/api/access` proves each row, and that none is missing. It stands for itself: nothing here is read from the service.

use reqwest::Method;

/// Method, path as the API document writes it, the roles that may call it (O owner, A admin, D developer, V viewer; `-`:
/// anybody, without a token; `S`: no member, but an identity provider with a SCIM token), the key that a custom role must hold (`a|b`: one of them, the body says which), and what else there
/// is to know: the plan (`pro`, `enterprise`), `bodiless` for a write that reads no body, `page` for what only a page of the service may ask for, `stream` for an answer that does not end, `session` for what an access token may not do, and `unrated` for what may be asked for
/// as often as anybody likes.
const TABLE: &str = "
    POST   /v1/auth/initiate-signup                                       -
    POST   /v1/auth/resend-signup-otp                                     -
    POST   /v1/auth/complete-signup                                       -
    POST   /v1/auth/register                                              -
    POST   /v1/auth/login                                                 -
    POST   /v1/auth/refresh                                               -
    POST   /v1/auth/logout                                                OADV bodiless session
    POST   /v1/auth/session                                               -    page
    POST   /v1/auth/session/refresh                                       -    page
    DELETE /v1/auth/session                                               -    page
    GET    /v1/auth/sessions                                              OADV session
    DELETE /v1/auth/sessions/{sessionID}                                  OADV session
    POST   /v1/auth/send-verification-email                               OADV bodiless session
    GET    /v1/auth/verify-email                                          -
    POST   /v1/auth/one-time-token                                        OADV bodiless session
    POST   /v1/auth/token-exchange                                        -
    POST   /v1/auth/oidc/start                                            -
    POST   /v1/auth/oidc/finish                                           -
    POST   /v1/auth/forgot-password                                       -
    POST   /v1/auth/reset-password                                        -
    POST   /v1/auth/change-password                                       OADV session

    POST   /v1/auth/mfa/enable                                            OADV pro bodiless session
    POST   /v1/auth/mfa/verify                                            OADV pro session
    POST   /v1/auth/mfa/disable                                           OADV session
    GET    /v1/auth/mfa/status                                            OADV session

    GET    /v1/pricing                                                    -    unrated
    POST   /v1/billing/checkout                                           O    billing.manage bodiless session
    POST   /v1/billing/gateway_form/callback                              -
    POST   /v1/billing/gateway_form/failure                               -
    POST   /v1/billing/gateway_redirect/webhook                           -
    GET    /v1/billing/subscription                                       OADV billing.read
    GET    /v1/billing/usage                                              OADV billing.read
    POST   /v1/billing/cancel                                             O    billing.manage session
    POST   /v1/billing/portal                                             O    billing.manage bodiless session
    PUT    /v1/billing/gateway                                            O    billing.manage session

    GET    /v1/me                                                         OADV
    PATCH  /v1/me                                                         OADV session
    GET    /v1/me/tokens                                                  OADV session
    POST   /v1/me/tokens                                                  OADV session
    DELETE /v1/me/tokens/{accessTokenID}                                  OADV session
    PATCH  /v1/organization                                               O    billing.manage
    DELETE /v1/organization                                               O    billing.manage session
    GET    /v1/organization/sign-in                                       OA   members.manage
    PATCH  /v1/organization/sign-in                                       O    members.manage enterprise session
    GET    /v1/organization/sign-in/providers                             OA   members.manage
    POST   /v1/organization/sign-in/providers                             O    members.manage enterprise session
    GET    /v1/organization/sign-in/providers/{providerID}                OA   members.manage
    PATCH  /v1/organization/sign-in/providers/{providerID}                O    members.manage enterprise session
    DELETE /v1/organization/sign-in/providers/{providerID}                O    members.manage session
    GET    /v1/organization/sign-in/domains                               OA   members.manage
    POST   /v1/organization/sign-in/domains                               O    members.manage enterprise session
    POST   /v1/organization/sign-in/domains/{domainID}/check              O    members.manage enterprise bodiless session
    DELETE /v1/organization/sign-in/domains/{domainID}                    O    members.manage session
    GET    /v1/search                                                     OADV
    GET    /v1/events                                                     OADV stream

    GET    /v1/onboarding                                                 OADV
    PATCH  /v1/onboarding                                                 OADV
    POST   /v1/sales/inquiry                                              -

    GET    /v1/members                                                    OADV members.read
    POST   /v1/members/invite                                             OA   members.manage
    PUT    /v1/members/{memberID}                                         OA   members.manage
    DELETE /v1/members/{memberID}                                         OA   members.manage
    DELETE /v1/members/{memberID}/sessions                                OA   members.manage
    GET    /v1/members/{memberID}/identities                              OA   members.manage
    DELETE /v1/members/{memberID}/identities/{providerID}                 OA   members.manage
    GET    /v1/team                                                       OADV members.read
    GET    /v1/members/{memberID}/permissions                             OADV members.read
    PUT    /v1/members/{memberID}/permissions                             OA   members.manage

    GET    /v1/service-accounts                                           OA   members.manage
    POST   /v1/service-accounts                                           OA   members.manage
    GET    /v1/service-accounts/{serviceAccountID}                        OA   members.manage
    PATCH  /v1/service-accounts/{serviceAccountID}                        OA   members.manage
    DELETE /v1/service-accounts/{serviceAccountID}                        OA   members.manage
    GET    /v1/service-accounts/{serviceAccountID}/tokens                 OA   members.manage
    POST   /v1/service-accounts/{serviceAccountID}/tokens                 OA   members.manage session
    DELETE /v1/service-accounts/{serviceAccountID}/tokens/{accessTokenID} OA   members.manage session
    POST   /v1/service-accounts/{serviceAccountID}/tokens/{accessTokenID}/rotate OA members.manage session bodiless

    GET    /v1/projects                                                   OADV projects.read
    POST   /v1/projects                                                   OAD  projects.create
    GET    /v1/projects/{projectID}                                       OADV projects.read
    PUT    /v1/projects/{projectID}                                       OAD  projects.create
    DELETE /v1/projects/{projectID}                                       OA   projects.delete

    GET    /v1/projects/{projectID}/environments                          OADV environments.read
    POST   /v1/projects/{projectID}/environments                          OAD  environments.create
    GET    /v1/projects/{projectID}/environments/{envID}                  OADV environments.read
    PUT    /v1/projects/{projectID}/environments/{envID}                  OAD  environments.create
    DELETE /v1/projects/{projectID}/environments/{envID}                  OA   environments.delete

    GET    /v1/projects/{projectID}/flags                                 OADV flags.read
    POST   /v1/projects/{projectID}/flags                                 OAD  flags.create
    GET    /v1/projects/{projectID}/overview                              OADV flags.read
    GET    /v1/projects/{projectID}/stale-flags                           OADV flags.read
    GET    /v1/projects/{projectID}/defaults                              OADV flags.read
    GET    /v1/projects/{projectID}/references                            OADV flags.read
    PUT    /v1/projects/{projectID}/references                            OAD  flags.update
    DELETE /v1/projects/{projectID}/references/{repositoryID}             OAD  flags.update
    GET    /v1/projects/{projectID}/compare                               OADV flags.read
    POST   /v1/projects/{projectID}/bulk                                  OAD  flags.toggle|flags.update|flags.promote|flags.delete
    GET    /v1/projects/{projectID}/content                               OADV flags.read|segments.read|environments.read
    POST   /v1/projects/{projectID}/content                               OAD  flags.create|flags.update|flags.delete|flags.toggle|flags.edit_rules|segments.write|environments.create|environments.delete
    GET    /v1/projects/{projectID}/change-sets                           OADV flags.read
    POST   /v1/projects/{projectID}/change-sets                           OAD  flags.create|flags.update|flags.delete|flags.toggle|flags.edit_rules|segments.write|environments.create|environments.delete
    GET    /v1/projects/{projectID}/change-sets/{changeSetID}             OADV flags.read
    PUT    /v1/projects/{projectID}/change-sets/{changeSetID}             OAD  flags.create|flags.update|flags.delete|flags.toggle|flags.edit_rules|segments.write|environments.create|environments.delete
    DELETE /v1/projects/{projectID}/change-sets/{changeSetID}             OAD  flags.create|flags.update|flags.delete|flags.toggle|flags.edit_rules|segments.write|environments.create|environments.delete
    GET    /v1/projects/{projectID}/change-sets/{changeSetID}/diff        OADV flags.read
    POST   /v1/projects/{projectID}/change-sets/{changeSetID}/explain     OADV flags.read
    POST   /v1/projects/{projectID}/change-sets/{changeSetID}/request     OAD  approvals.create bodiless
    POST   /v1/projects/{projectID}/change-sets/{changeSetID}/review      OA   approvals.review
    POST   /v1/projects/{projectID}/change-sets/{changeSetID}/apply       OAD  flags.create|flags.update|flags.delete|flags.toggle|flags.edit_rules|segments.write|environments.create|environments.delete
    POST   /v1/projects/{projectID}/change-sets/{changeSetID}/undo        OAD  flags.create|flags.update|flags.delete|flags.toggle|flags.edit_rules|segments.write|environments.create|environments.delete bodiless
    POST   /v1/projects/{projectID}/change-sets/{changeSetID}/reopen      OAD  flags.create|flags.update|flags.delete|flags.toggle|flags.edit_rules|segments.write|environments.create|environments.delete bodiless
    GET    /v1/projects/{projectID}/flags/{flagKey}                       OADV flags.read
    GET    /v1/projects/{projectID}/flags/{flagKey}/dependants            OADV flags.read
    GET    /v1/projects/{projectID}/flags/{flagKey}/references            OADV flags.read
    GET    /v1/projects/{projectID}/flags/{flagKey}/relations             OADV flags.read
    PUT    /v1/projects/{projectID}/flags/{flagKey}                       OAD  flags.update
    DELETE /v1/projects/{projectID}/flags/{flagKey}                       OAD  flags.delete
    POST   /v1/projects/{projectID}/flags/{flagKey}/archive                      OAD  flags.delete bodiless
    POST   /v1/projects/{projectID}/flags/{flagKey}/restore                      OAD  flags.delete bodiless
    POST   /v1/projects/{projectID}/flags/{flagKey}/promote               OAD  flags.promote
    POST   /v1/projects/{projectID}/flags/{flagKey}/kill                  OAD  flags.kill
    POST   /v1/projects/{projectID}/flags/{flagKey}/rollback              OAD  flags.toggle|flags.edit_rules
    GET    /v1/projects/{projectID}/flags/{flagKey}/history               OADV flags.read
    GET    /v1/projects/{projectID}/flags/{flagKey}/history/{version}     OADV flags.read
    GET    /v1/projects/{projectID}/flags/{flagKey}/environments/{envID}  OADV flags.read
    PUT    /v1/projects/{projectID}/flags/{flagKey}/environments/{envID}  OAD  flags.toggle|flags.edit_rules
    POST   /v1/explain                                                    OADV flags.read

    GET    /v1/projects/{projectID}/segments                              OADV segments.read
    POST   /v1/projects/{projectID}/segments                              OAD  segments.write
    GET    /v1/projects/{projectID}/segments/{segmentKey}                 OADV segments.read
    GET    /v1/projects/{projectID}/segments/{segmentKey}/usage           OADV segments.read
    PUT    /v1/projects/{projectID}/segments/{segmentKey}                 OAD  segments.write
    DELETE /v1/projects/{projectID}/segments/{segmentKey}                 OAD  segments.write

    GET    /v1/projects/{projectID}/grants                                OADV approvals.read
    POST   /v1/projects/{projectID}/grants                                OA   approvals.review
    GET    /v1/projects/{projectID}/grants/{grantID}                      OADV approvals.read
    PUT    /v1/projects/{projectID}/grants/{grantID}                      OA   approvals.review
    DELETE /v1/projects/{projectID}/grants/{grantID}                      OA   approvals.review
    GET    /v1/approvals                                                  OADV approvals.read
    POST   /v1/approvals                                                  OAD  approvals.create
    GET    /v1/approvals/{approvalID}                                     OADV approvals.read
    GET    /v1/approvals/{approvalID}/diff                                OADV approvals.read
    GET    /v1/approvals/{approvalID}/comments                            OADV approvals.read
    POST   /v1/approvals/{approvalID}/comments                            OAD  approvals.create|approvals.review
    POST   /v1/approvals/{approvalID}/withdraw                            OAD  approvals.create bodiless
    POST   /v1/approvals/{approvalID}/review                              OA   approvals.review

    GET    /v1/environments/{envID}/api-keys                              OADV api_keys.read
    POST   /v1/environments/{envID}/api-keys                              OA   api_keys.manage
    GET    /v1/projects/{projectID}/environments/{envID}/api-keys         OADV api_keys.read
    POST   /v1/projects/{projectID}/environments/{envID}/api-keys         OA   api_keys.manage
    GET    /v1/projects/{projectID}/environments/{envID}/rehearsals       OADV api_keys.read
    POST   /v1/projects/{projectID}/environments/{envID}/rehearsals       OA   rehearsals.run
    POST   /v1/projects/{projectID}/environments/{envID}/rehearsals/stop  OA   rehearsals.run bodiless
    GET    /v1/projects/{projectID}/environments/{envID}/sampling         OADV environments.read
    PUT    /v1/projects/{projectID}/environments/{envID}/sampling         OAD  environments.create
    POST   /v1/projects/{projectID}/environments/{envID}/what-if          OAD  flags.read
    GET    /v1/projects/{projectID}/environments/{envID}/what-if/{questionID}  OADV flags.read
    DELETE /v1/api-keys/{keyID}                                           OA   api_keys.manage
    POST   /v1/api-keys/{keyID}/rotate                                    OA   api_keys.manage bodiless

    GET    /v1/webhooks                                                   OA   webhooks.manage
    POST   /v1/webhooks                                                   OA   webhooks.manage
    GET    /v1/webhooks/event-types                                       OA   webhooks.manage
    GET    /v1/webhooks/{webhookID}                                       OA   webhooks.manage
    PUT    /v1/webhooks/{webhookID}                                       OA   webhooks.manage
    DELETE /v1/webhooks/{webhookID}                                       OA   webhooks.manage
    GET    /v1/webhooks/{webhookID}/deliveries                            OA   webhooks.manage
    GET    /v1/webhooks/{webhookID}/deliveries/{deliveryID}               OA   webhooks.manage
    POST   /v1/webhooks/{webhookID}/test                                  OA   webhooks.manage bodiless
    POST   /v1/webhooks/{webhookID}/redeliver                             OA   webhooks.manage
    POST   /v1/webhooks/{webhookID}/deliveries/{deliveryID}/redeliver     OA   webhooks.manage bodiless

    POST   /v1/migration/providers                                        OA   migration.run
    POST   /v1/migration/connect                                          OA   migration.run
    POST   /v1/migration/analyze                                          OA   migration.run
    POST   /v1/migration/execute                                          OA   migration.run
    GET    /v1/migration/status/{id}                                      OA   migration.run
    POST   /v1/migration/identities                                       OA   migration.run
    GET    /v1/migration                                                  OA   migration.run
    GET    /v1/migration/{id}/report                                      OA   migration.run
    DELETE /v1/migration/{id}                                             OA   migration.run

    GET    /v1/edges                                                      OA   environments.read
    POST   /v1/edges                                                      OA   environments.read
    DELETE /v1/edges/{edgeName}                                           OA   environments.read
    GET    /v1/edges/waves                                                OA   environments.read
    GET    /v1/audit                                                      OADV audit.read
    GET    /v1/audit/actions                                              OADV audit.read
    GET    /v1/audit/annotations                                          OADV audit.read

    GET    /v1/metrics/evaluations                                        OA   metrics.read
    POST   /v1/metrics/evaluations/reset                                  OA   metrics.manage bodiless
    GET    /v1/metrics/impressions                                        OA   metrics.read
    POST   /v1/metrics/impressions/flush                                  OA   metrics.manage bodiless
    GET    /v1/metrics/unknown-flags                                      OA   metrics.read
    GET    /v1/metrics/series                                             OA   metrics.read

    GET    /v1/roles                                                      OA   roles.manage enterprise
    POST   /v1/roles                                                      OA   roles.manage enterprise
    GET    /v1/roles/{roleID}                                             OA   roles.manage enterprise
    PUT    /v1/roles/{roleID}                                             OA   roles.manage enterprise
    DELETE /v1/roles/{roleID}                                             OA   roles.manage enterprise

    GET    /v1/scim/tokens                                                OA   members.manage enterprise
    POST   /v1/scim/tokens                                                OA   members.manage enterprise session
    DELETE /v1/scim/tokens/{tokenID}                                      OA   members.manage enterprise
    GET    /v1/scim/Users                                                 S    enterprise
    POST   /v1/scim/Users                                                 S    enterprise
    GET    /v1/scim/Users/{userID}                                        S    enterprise
    PUT    /v1/scim/Users/{userID}                                        S    enterprise
    PATCH  /v1/scim/Users/{userID}                                        S    enterprise
    DELETE /v1/scim/Users/{userID}                                        S    enterprise
    GET    /v1/scim/ServiceProviderConfig                                 S    enterprise
    GET    /v1/scim/Schemas                                               S    enterprise
    GET    /v1/scim/Schemas/{id}                                          S    enterprise
    GET    /v1/scim/ResourceTypes                                         S    enterprise
    GET    /v1/scim/ResourceTypes/{id}                                    S    enterprise
";

/// The roles there are.
pub const ROLES: [&str; 4] = ["owner", "admin", "developer", "viewer"];

/// The plan that an endpoint needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    Any,
    /// Pro, which a trial has too.
    Pro,
    Enterprise,
}

impl Plan {
    /// Its name in the API; none for any plan.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Pro => Some("pro"),
            Self::Enterprise => Some("enterprise"),
        }
    }

    /// The plans that are not enough.
    #[must_use]
    pub const fn refused(self) -> &'static [&'static str] {
        match self {
            Self::Any => &[],
            Self::Pro => &["free"],
            Self::Enterprise => &["free", "trial", "pro"],
        }
    }
}

/// One endpoint.
#[derive(Clone, Debug)]
pub struct Row {
    pub method: Method,
    /// As the API document writes it.
    pub path: &'static str,
    /// First letters of the roles that may call, or `-`, or `S`.
    roles: &'static str,
    pub plan: Plan,
    /// A custom role must hold one of these, if there are any.
    pub keys: Vec<&'static str>,
    bodiless: bool,
    /// Only a page of the service may ask for it.
    pub of_page: bool,
    /// Its answer does not end.
    pub streams: bool,
    /// Only a member who has signed in may ask for it, not an access token.
    pub of_session: bool,
    pub unrated: bool,
}

impl Row {
    fn read(line: &'static str) -> Self {
        let mut words = line.split_whitespace();
        let mut word = || words.next().expect("method, path and roles");
        let mut row = Self {
            method: word().parse().expect("a method"),
            path: word(),
            roles: word(),
            plan: Plan::Any,
            keys: Vec::new(),
            bodiless: false,
            of_page: false,
            streams: false,
            of_session: false,
            unrated: false,
        };
        for word in words {
            match word {
                "pro" => row.plan = Plan::Pro,
                "enterprise" => row.plan = Plan::Enterprise,
                "bodiless" => row.bodiless = true,
                "page" => row.of_page = true,
                "stream" => row.streams = true,
                "session" => row.of_session = true,
                "unrated" => row.unrated = true,
                key if key.contains('.') => row.keys = key.split('|').collect(),
                other => panic!("{other} in the access table"),
            }
        }
        row
    }

    /// Method and path.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Whether no token is asked for.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.roles == "-"
    }

    /// Whether an identity provider calls, with a SCIM token.
    #[must_use]
    pub fn is_scim(&self) -> bool {
        self.roles == "S"
    }

    /// Whether a member with this role may call.
    #[must_use]
    pub fn admits(&self, role: &str) -> bool {
        self.is_public() || self.roles.contains(&role[..1].to_uppercase())
    }

    /// Whether the endpoint reads a body that has to be there.
    #[must_use]
    pub fn takes_body(&self) -> bool {
        matches!(self.method, Method::POST | Method::PUT | Method::PATCH) && !self.bodiless
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.trim().is_empty());
    lines.map(Row::read).collect()
}

/// The rows that ask for a member's token.
#[must_use]
pub fn protected() -> Vec<Row> {
    let is_for_members = |row: &Row| !row.is_public() && !row.is_scim();
    rows().into_iter().filter(is_for_members).collect()
}

/// The rows that ask for a SCIM token.
#[must_use]
pub fn scim() -> Vec<Row> {
    rows().into_iter().filter(Row::is_scim).collect()
}
