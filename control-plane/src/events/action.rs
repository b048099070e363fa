//! Everything that can happen, by the names that the audit trail and webhooks have for it.

macro_rules! actions {
    ($($name:ident = $text:literal;)+) => {
        /// What happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action {
            $(
                #[doc = concat!("`", $text, "`")]
                $name,
            )+
        }

        impl Action {
            /// Its name: `<resource type>.<what happened>`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

actions! {
    ProjectCreated = "project.created";
    ProjectUpdated = "project.updated";
    ProjectDeleted = "project.deleted";
    EnvironmentCreated = "environment.created";
    EnvironmentUpdated = "environment.updated";
    EnvironmentDeleted = "environment.deleted";
    SegmentCreated = "segment.created";
    SegmentUpdated = "segment.updated";
    SegmentDeleted = "segment.deleted";
    FlagCreated = "flag.created";
    FlagUpdated = "flag.updated";
    FlagDeleted = "flag.deleted";
    FlagStateUpdated = "flag.state_updated";
    FlagApprovedChangeApplied = "flag.approved_change_applied";
    FlagKilled = "flag.killed";
    FlagPromoted = "flag.promoted";
    FlagScheduledToggle = "flag.scheduled_toggle";
    ApiKeyCreated = "api_key.created";
    ApiKeyRotated = "api_key.rotated";
    ApiKeyRevoked = "api_key.revoked";
    ApprovalCreated = "approval.created";
    ApprovalRejected = "approval.rejected";
    MemberInvited = "member.invited";
    MemberJoined = "member.joined";
    MemberRoleChanged = "member.role_changed";
    MemberRemoved = "member.removed";
    MemberPermissionsUpdated = "member.permissions_updated";
    RoleCreated = "role.created";
    RoleUpdated = "role.updated";
    RoleDeleted = "role.deleted";
    AuthRegistered = "auth.registered";
    AuthLogin = "auth.login";
    AuthLoginFailed = "auth.login_failed";
    AuthLocked = "auth.locked";
    AuthLogout = "auth.logout";
    AuthEmailVerified = "auth.email_verified";
    AuthPasswordReset = "auth.password_reset";
    AuthOneTimeTokenIssued = "auth.one_time_token_issued";
    MfaEnrolmentStarted = "mfa.enrolment_started";
    MfaEnabled = "mfa.enabled";
    MfaDisabled = "mfa.disabled";
    OrganizationSoftDeleted = "organization.soft_deleted";
    OrganizationRestored = "organization.restored";
    BillingCheckoutStarted = "billing.checkout_started";
    BillingSubscriptionActivated = "billing.subscription_activated";
    BillingSubscriptionUpdated = "billing.subscription_updated";
    BillingSubscriptionCanceled = "billing.subscription_canceled";
    BillingPaymentFailed = "billing.payment_failed";
    BillingGatewayChanged = "billing.gateway_changed";
    BillingPlanChanged = "billing.plan_changed";
    WebhookCreated = "webhook.created";
    WebhookUpdated = "webhook.updated";
    WebhookDeleted = "webhook.deleted";
    ScimUserProvisioned = "scim.user_provisioned";
    ScimUserUpdated = "scim.user_updated";
    ScimUserDeactivated = "scim.user_deactivated";
    ScimUserRemoved = "scim.user_removed";
    ScimTokenCreated = "scim.token_created";
    ScimTokenRevoked = "scim.token_revoked";
    MigrationStarted = "migration.started";
    MigrationCompleted = "migration.completed";
    MigrationFailed = "migration.failed";
    MetricsCountersReset = "metrics.counters_reset";
    MetricsImpressionsFlushed = "metrics.impressions_flushed";
}

impl Action {
    /// The word before the dot.
    pub fn resource_type(self) -> &'static str {
        let name = self.as_str();
        name.split_once('.').map_or(name, |(resource, _)| resource)
    }
}
