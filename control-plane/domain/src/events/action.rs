//! All actions, by their names in the audit log and webhooks.

macro_rules! actions {
    ($($name:ident = $text:literal, $meaning:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action {
            $(
                #[doc = concat!("`", $text, "`: ", $meaning)]
                $name,
            )+
        }

        impl Action {
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its name, such as `flag.killed`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// A description for readers of the audit log.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning,)+
                }
            }
        }
    };
}

actions! {
    ProjectCreated = "project.created", "a project was created";
    ProjectUpdated = "project.updated", "the name or the slug of a project was changed";
    ProjectDeleted = "project.deleted", "a project was deleted, with everything in it";
    EnvironmentCreated = "environment.created", "an environment was created";
    EnvironmentUpdated = "environment.updated", "the fields of an environment were changed";
    EnvironmentDeleted = "environment.deleted", "an environment was deleted";
    EnvironmentSamplingChanged = "environment.sampling_changed", "whether edges keep samples of an environment's requests, or what of them, was changed";
    EnvironmentExamplesShown = "environment.examples_shown", "with a question about a draft, edges were asked for contexts whose answers it changes";
    SegmentCreated = "segment.created", "a segment was created";
    SegmentUpdated = "segment.updated", "a segment was changed";
    SegmentDeleted = "segment.deleted", "a segment was deleted";
    FlagCreated = "flag.created", "a flag was created";
    FlagUpdated = "flag.updated", "a flag's own fields were changed, such as its name, its default value or its prerequisites";
    FlagDeleted = "flag.deleted", "a flag was deleted";
    FlagArchived = "flag.archived", "a flag was archived: it answers as a deleted one does, and can be restored";
    FlagRestored = "flag.restored", "an archived flag was restored";
    FlagStateUpdated = "flag.state_updated", "the state of a flag in an environment was changed";
    FlagApprovedChangeApplied = "flag.approved_change_applied", "a request for approval was approved and applied";
    FlagKilled = "flag.killed", "a flag was switched off in an environment by its kill switch";
    FlagPromoted = "flag.promoted", "the state of a flag was copied from one environment to another";
    FlagRolledBack = "flag.rolled_back", "the state of a flag in an environment was set back to what it was at an earlier version";
    FlagScheduledToggle = "flag.scheduled_toggle", "a flag was switched on or off in an environment because it was due";
    ApiKeyCreated = "api_key.created", "an API key was created";
    ApiKeyRotated = "api_key.rotated", "an API key was replaced by a new one";
    ApiKeyRevoked = "api_key.revoked", "an API key was revoked";
    ApiKeyRehearsalStarted = "api_key.rehearsal_started", "an outage is rehearsed: for a minute at most, edges fail the answers to an API key on purpose";
    ApiKeyRehearsalStopped = "api_key.rehearsal_stopped", "the rehearsal of an outage was stopped before its end";
    ApprovalCreated = "approval.created", "approval of a change was asked for";
    ApprovalApproved = "approval.approved", "a request for approval was approved, and needs the approval of others";
    ApprovalRejected = "approval.rejected", "a request for approval was rejected";
    ApprovalWithdrawn = "approval.withdrawn", "a request for approval was withdrawn by the member who made it";
    ApprovalCommented = "approval.commented", "a comment was written on a request for approval";
    ChangeSetCreated = "change_set.created", "a change set was drafted";
    ChangeSetUpdated = "change_set.updated", "the draft of a change set was changed";
    ChangeSetDeleted = "change_set.deleted", "a change set that was not applied was deleted";
    ChangeSetRequested = "change_set.requested", "approval of a change set was asked for";
    ChangeSetApproved = "change_set.approved", "a change set was approved by a member";
    ChangeSetRejected = "change_set.rejected", "a change set was rejected by a member";
    ChangeSetReopened = "change_set.reopened", "a change set became a draft again, without its approvals and its time";
    ChangeSetScheduled = "change_set.scheduled", "a change set is to be applied at a time";
    ChangeSetApplied = "change_set.applied", "a change set was applied, all of its parts in one version";
    ChangeSetFailed = "change_set.failed", "a change set could not be applied at its time";
    GrantCreated = "grant.created", "a grant was given: rollouts that its holder moves in an environment without approval";
    GrantUpdated = "grant.updated", "a grant was changed";
    GrantDeleted = "grant.deleted", "a grant was withdrawn";
    MemberInvited = "member.invited", "somebody was invited";
    MemberJoined = "member.joined", "somebody who was invited has joined";
    MemberRoleChanged = "member.role_changed", "the role or the custom role of a member was changed";
    MemberRemoved = "member.removed", "a member was removed";
    MemberSessionsEnded = "member.sessions_ended", "all sessions of a member in the organization were ended";
    MemberPermissionsUpdated = "member.permissions_updated", "what a member may do in environments was changed";
    RoleCreated = "role.created", "a custom role was created";
    RoleUpdated = "role.updated", "a custom role was changed";
    RoleDeleted = "role.deleted", "a custom role was deleted";
    AuthRegistered = "auth.registered", "somebody registered, and the organization was made";
    AuthLogin = "auth.login", "a member signed in";
    AuthLoginFailed = "auth.login_failed", "somebody tried to sign in as a member and failed";
    AuthLocked = "auth.locked", "signing in as a member was locked after too many failures";
    AuthLogout = "auth.logout", "a member signed out";
    AuthEmailVerified = "auth.email_verified", "a member proved that their e-mail address is theirs";
    AuthPasswordReset = "auth.password_reset", "a member set a new password by a mailed code";
    AuthPasswordChanged = "auth.password_changed", "a member replaced their password, which ended their other sessions";
    AuthNameChanged = "auth.name_changed", "a member changed their own name";
    AuthEmailChanged = "auth.email_changed", "an operator gave a member's account another e-mail address";
    AuthUnlocked = "auth.unlocked", "an operator ended the lock of a member's sign-in";
    AuthTokenReused = "auth.token_reused", "a refresh token that had been replaced was used again, so the session was ended";
    AuthOneTimeTokenIssued = "auth.one_time_token_issued", "a member was given a token that signs in once";
    MfaEnrolmentStarted = "mfa.enrolment_started", "a member began to set up an authenticator";
    MfaEnabled = "mfa.enabled", "a member's second factor took effect";
    MfaDisabled = "mfa.disabled", "a member switched their second factor off";
    OrganizationUpdated = "organization.updated", "the organization was renamed";
    OrganizationSoftDeleted = "organization.soft_deleted", "the organization was given up, and can still be restored";
    OrganizationDeleted = "organization.deleted", "an owner deleted the organization, which cannot be undone";
    OrganizationRestored = "organization.restored", "the organization was restored";
    BillingCheckoutStarted = "billing.checkout_started", "a member started to pay for a plan";
    BillingSubscriptionActivated = "billing.subscription_activated", "a subscription began, or was paid for again";
    BillingSubscriptionUpdated = "billing.subscription_updated", "a subscription was changed";
    BillingSubscriptionCanceled = "billing.subscription_canceled", "a subscription was canceled, or has ended";
    BillingPaymentFailed = "billing.payment_failed", "a payment failed";
    BillingGatewayChanged = "billing.gateway_changed", "another payment gateway was chosen";
    BillingPlanChanged = "billing.plan_changed", "the organization has another plan";
    WebhookCreated = "webhook.created", "a webhook was created";
    WebhookUpdated = "webhook.updated", "a webhook was changed";
    WebhookDeleted = "webhook.deleted", "a webhook was deleted";
    AccessTokenCreated = "access_token.created", "a member was given an access token";
    AccessTokenRotated = "access_token.rotated", "an access token was replaced by a new one";
    AccessTokenRevoked = "access_token.revoked", "an access token was revoked";
    AccessTokenRefused = "access_token.refused", "an access token was used after its end: told once a day";
    ServiceAccountCreated = "service_account.created", "a service account was created: a member that no person signs in as";
    ServiceAccountUpdated = "service_account.updated", "a service account was renamed";
    ServiceAccountDeleted = "service_account.deleted", "a service account was deleted, with its access tokens";
    RepositoryScanned = "repository.scanned", "a repository was scanned for references to flags";
    RepositoryForgotten = "repository.forgotten", "a repository was forgotten, with the references to flags that were found in it";
    ScimUserProvisioned = "scim.user_provisioned", "an identity provider created a user";
    ScimUserUpdated = "scim.user_updated", "an identity provider changed a user";
    ScimUserDeactivated = "scim.user_deactivated", "an identity provider deactivated a user";
    ScimUserRemoved = "scim.user_removed", "an identity provider removed a user";
    ScimTokenCreated = "scim.token_created", "a token for an identity provider was created";
    ScimTokenRevoked = "scim.token_revoked", "a token of an identity provider was revoked";
    SignInProviderCreated = "sign_in.provider_created", "a provider by which members sign in was set up";
    SignInProviderUpdated = "sign_in.provider_updated", "a provider by which members sign in was changed";
    SignInProviderDeleted = "sign_in.provider_deleted", "a provider by which members sign in was deleted, with the sessions that it opened";
    SignInDomainAdded = "sign_in.domain_added", "a domain was added whose addresses providers are to vouch for";
    SignInDomainProven = "sign_in.domain_proven", "a domain was proven, so that providers vouch for its addresses";
    SignInDomainLost = "sign_in.domain_lost", "the record of a proven domain was missing for a week: providers vouch no longer for its addresses";
    SignInDomainRemoved = "sign_in.domain_removed", "a domain was removed, for whose addresses providers vouch no longer";
    SignInRulesChanged = "sign_in.rules_changed", "whether members sign in by a provider alone was changed";
    SignInIdentityUnbound = "sign_in.identity_unbound", "a member was unbound from what a provider calls them, and the sessions that it opened ended";
    SignInMemberProvisioned = "sign_in.member_provisioned", "somebody became a member by signing in at a provider for the first time";
    MigrationStarted = "migration.started", "an import from another platform was started";
    MigrationCompleted = "migration.completed", "an import from another platform was completed";
    MigrationFailed = "migration.failed", "an import from another platform failed";
    EdgeEnrolled = "edge.enrolled", "an operator among the members gave an edge a certificate";
    EdgeRevoked = "edge.revoked", "an operator among the members revoked all certificates of an edge";
    MetricsCountersReset = "metrics.counters_reset", "the counters of evaluations were reset";
    MetricsImpressionsFlushed = "metrics.impressions_flushed", "the buffered impressions were handed out and removed";
}

impl Action {
    /// The event types of webhooks: those of the contract, and further ones.
    pub const WEBHOOK_TYPES: &[Self] = &[
        Self::FlagCreated,
        Self::FlagUpdated,
        Self::FlagDeleted,
        Self::FlagArchived,
        Self::FlagRestored,
        Self::FlagKilled,
        Self::FlagPromoted,
        Self::FlagScheduledToggle,
        Self::FlagApprovedChangeApplied,
        Self::SegmentCreated,
        Self::SegmentUpdated,
        Self::SegmentDeleted,
        Self::ApprovalCreated,
        Self::ApprovalApproved,
        Self::ApprovalRejected,
        Self::ApprovalWithdrawn,
        Self::ChangeSetRequested,
        Self::ChangeSetApproved,
        Self::ChangeSetRejected,
        Self::ChangeSetScheduled,
        Self::ChangeSetApplied,
        Self::ChangeSetFailed,
        Self::GrantCreated,
        Self::GrantUpdated,
        Self::GrantDeleted,
        Self::ProjectCreated,
        Self::ProjectUpdated,
        Self::ProjectDeleted,
        Self::EnvironmentCreated,
        Self::EnvironmentUpdated,
        Self::EnvironmentDeleted,
        Self::EnvironmentSamplingChanged,
        Self::EnvironmentExamplesShown,
        Self::ApiKeyCreated,
        Self::ApiKeyRotated,
        Self::ApiKeyRevoked,
        Self::ApiKeyRehearsalStarted,
        Self::ApiKeyRehearsalStopped,
        Self::MemberInvited,
        Self::MemberJoined,
        Self::MemberRoleChanged,
        Self::MemberPermissionsUpdated,
        Self::MemberRemoved,
    ];

    /// The word before the dot.
    pub fn resource_type(self) -> &'static str {
        let name = self.as_str();
        name.split_once('.').map_or(name, |(resource, _)| resource)
    }

    /// Its event type for webhooks; `None` if they do not receive it.
    pub fn webhook_type(self) -> Option<&'static str> {
        match self {
            Self::FlagStateUpdated | Self::FlagRolledBack => Some(Self::FlagUpdated.as_str()),
            action if Self::WEBHOOK_TYPES.contains(&action) => Some(action.as_str()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhooks_receive_listed_events_and_every_change_of_a_state_as_an_update() {
        let event_type = Action::webhook_type;
        assert_eq!(event_type(Action::FlagCreated), Some("flag.created"));
        assert_eq!(event_type(Action::FlagStateUpdated), Some("flag.updated"));
        assert_eq!(event_type(Action::FlagRolledBack), Some("flag.updated"));
        assert_eq!(event_type(Action::SegmentUpdated), Some("segment.updated"));
        for action in [
            Action::AuthLogin,
            Action::BillingPlanChanged,
            Action::WebhookCreated,
        ] {
            assert_eq!(event_type(action), None);
        }
    }
}
