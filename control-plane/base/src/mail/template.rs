//! The kinds of mail, their contents, and how long each is worth sending.

use std::time::Duration;

use serde::Serialize;
use serving::settings::spans::DAY;
use time::Date;

use super::{
    kinds::{
        ADDRESS_CHANGED, APPROVAL_DECIDED, APPROVAL_REQUESTED, LOCKOUT_NOTICE,
        ORGANIZATION_DELETED, SALES_INQUIRY, SESSION_ENDED, WELCOME,
    },
    render::{as_lines, as_name, as_quote, as_short_name, as_text, in_words},
};

/// An email. Links are absolute. Names may contain anything: they are escaped, and links in them broken, when they are rendered.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Template<'a> {
    /// The code that completes a sign-up. Anyone can request it for any address, so it contains no name that the sender chose.
    SignupCode {
        /// Six digits.
        code: &'a str,
        #[serde(serialize_with = "in_words")]
        valid_for: Duration,
    },
    /// An account is complete.
    Welcome {
        #[serde(serialize_with = "as_name")]
        name: &'a str,
        /// Name of the organization that was created, or that they joined.
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        welcomed: Welcomed,
        /// To the dashboard.
        link: &'a str,
    },
    /// Asks the owner of an address to confirm it.
    Verification {
        #[serde(serialize_with = "as_name")]
        name: &'a str,
        /// Following it confirms the address.
        link: &'a str,
        #[serde(serialize_with = "in_words")]
        valid_for: Duration,
    },
    /// A person was made a member of an organization.
    Invitation {
        /// Who invites them.
        #[serde(serialize_with = "as_name")]
        inviter: &'a str,
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        org_id: &'a str,
        /// The member's role, as the API names it.
        role: &'a str,
        email: &'a str,
        /// How they get in.
        way: InvitationWay,
        /// Base URL of the API.
        api: &'a str,
        /// To sign-up, or to login if there is an account; both are pages of the dashboard.
        link: &'a str,
        /// Whether that link leads anywhere. Without a dashboard the mail has commands.
        has_dashboard: bool,
    },
    /// The code that sets a new password.
    PasswordReset {
        #[serde(serialize_with = "as_name")]
        name: &'a str,
        /// Six digits.
        code: &'a str,
        #[serde(serialize_with = "in_words")]
        valid_for: Duration,
    },
    /// An organization's payment failed.
    PaymentFailed {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// To the page where it can be paid.
        link: &'a str,
    },
    /// The trial of an organization ends soon.
    TrialEnding {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// The last day, in UTC.
        #[serde(serialize_with = "as_text")]
        date: Date,
        /// To the page with the plans.
        link: &'a str,
    },
    /// The record that proves a domain is missing.
    DomainRecord {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        domain: &'a str,
        record_name: &'a str,
        record_value: &'a str,
        /// The day, in UTC, from which the domain is proven no longer.
        #[serde(serialize_with = "as_text")]
        date: Date,
        /// Whether it no longer is.
        is_lost: bool,
        /// To the dashboard.
        link: &'a str,
    },
    /// The trial of an organization has ended.
    TrialEnded {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// To the page with the plans.
        link: &'a str,
    },
    /// A subscription has ended.
    SubscriptionCanceled {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// Name of the plan that it is on now.
        plan: &'a str,
        /// To the page with the plans.
        link: &'a str,
    },
    /// The period that was paid for by a single payment is over.
    PaymentDue {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// To the page where it can be paid.
        link: &'a str,
    },
    /// Two subscriptions of an organization are paid for.
    PaidTwice {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// To the page where they are.
        link: &'a str,
    },
    /// A payment arrived that does not fit the checkout that it is for.
    PaymentNotCredited {
        /// Name of the organization.
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// Our id of the checkout.
        reference: &'a str,
        /// To the page where it is shown what is paid.
        link: &'a str,
    },
    /// An organization will be deleted for inactivity.
    DeletionWarning {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// Time of the last sign-in, in UTC.
        #[serde(serialize_with = "as_text")]
        last_login: Date,
        /// The day of the deletion, in UTC.
        #[serde(serialize_with = "as_text")]
        date: Date,
        /// How long signing in restores it after that.
        #[serde(serialize_with = "in_words")]
        grace: Duration,
        /// To login.
        link: &'a str,
    },
    /// A deleted organization will be deleted permanently.
    PurgeWarning {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// Time of the last sign-in, in UTC.
        #[serde(serialize_with = "as_text")]
        last_login: Date,
        /// The day of the permanent deletion, in UTC.
        #[serde(serialize_with = "as_text")]
        date: Date,
        /// To login.
        link: &'a str,
    },
    /// An owner deleted an organization permanently.
    OrganizationDeleted {
        #[serde(serialize_with = "as_name")]
        organization: &'a str,
        /// Name of the owner.
        #[serde(serialize_with = "as_name")]
        owner: &'a str,
        /// Address of the owner.
        email: &'a str,
    },
    /// A member requests approval of a change, for a member who may review it.
    ApprovalRequested {
        change: Requested<'a>,
        #[serde(serialize_with = "as_short_name")]
        requestor: &'a str,
        /// What the requestor noted; may be empty.
        #[serde(serialize_with = "as_quote")]
        note: &'a str,
        /// There is at most one such mail in this time.
        #[serde(serialize_with = "in_words")]
        interval: Duration,
        /// To the page with the request.
        link: &'a str,
    },
    /// A request for approval was decided, for the member who made it.
    ApprovalDecided {
        change: Requested<'a>,
        #[serde(serialize_with = "as_short_name")]
        reviewer: &'a str,
        is_approved: bool,
        /// What the reviewer noted; may be empty.
        #[serde(serialize_with = "as_quote")]
        note: &'a str,
        /// There is at most one such mail in this time.
        #[serde(serialize_with = "in_words")]
        interval: Duration,
        /// To the page with the request.
        link: &'a str,
    },
    /// An inquiry by a potential customer, sent to our own staff; the customer wrote all of it.
    SalesInquiry {
        /// Name of the customer.
        #[serde(serialize_with = "as_name")]
        contact_name: &'a str,
        /// Address for the reply.
        email: &'a str,
        /// Name of the customer's company.
        #[serde(serialize_with = "as_name")]
        company: &'a str,
        /// Size of the customer's team; may be empty.
        #[serde(serialize_with = "as_name")]
        team_size: &'a str,
        /// The customer's message, several lines or empty.
        #[serde(serialize_with = "as_lines")]
        message: &'a str,
    },
    /// Sign-in is refused for a while after wrong passwords.
    LockoutNotice {
        #[serde(serialize_with = "as_name")]
        name: &'a str,
        /// How long it is refused.
        #[serde(serialize_with = "in_words")]
        locked_for: Duration,
        /// To the page where the password can be reset.
        link: &'a str,
    },
    /// An operator gave the account another address; sent to the one before.
    AddressChanged {
        #[serde(serialize_with = "as_name")]
        name: &'a str,
    },
    /// A session was ended because its token may be stolen.
    SessionEnded {
        #[serde(serialize_with = "as_name")]
        name: &'a str,
        /// To the page where the password can be reset.
        link: &'a str,
    },
}

/// The change of a flag that needs approval.
#[derive(Clone, Copy, Serialize)]
pub struct Requested<'a> {
    #[serde(serialize_with = "as_short_name")]
    pub organization: &'a str,
    /// Slug of the project.
    #[serde(serialize_with = "as_short_name")]
    pub project: &'a str,
    #[serde(flatten)]
    pub of: RequestedOf<'a>,
}

/// What would change.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum RequestedOf<'a> {
    /// A flag in an environment.
    Flag {
        /// Its key.
        #[serde(serialize_with = "as_short_name")]
        flag: &'a str,
        /// The environment's slug.
        #[serde(serialize_with = "as_short_name")]
        environment: &'a str,
        /// What the requestor calls the change.
        #[serde(serialize_with = "as_short_name")]
        kind: &'a str,
    },
    /// What a change set names.
    ChangeSet {
        /// Its name.
        #[serde(serialize_with = "as_short_name")]
        change_set: &'a str,
    },
}

/// The new account holder's relation to their organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Welcomed {
    /// Created with the account.
    Founder,
    /// Joined by invitation.
    Member,
}

/// How an invited person gets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InvitationWay {
    /// By signing up.
    SignUp,
    /// By signing in to an existing account.
    SignIn,
    /// The account exists, and a code has to prove ownership.
    Prove,
    /// The operator of the installation opens an account for them.
    AskOperator,
}

/// The order in which due mail leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    /// A code or a link that a person waits for.
    Code = 0,
    News = 1,
}

impl Priority {
    /// In sending order.
    pub(super) const ALL: [Self; 2] = [Self::Code, Self::News];
}

impl Template<'_> {
    /// The name of the email in counters, logs and template files.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::SignupCode { .. } => "signup_code",
            Self::Welcome { .. } => WELCOME,
            Self::Verification { .. } => "verification",
            Self::Invitation { .. } => "invitation",
            Self::PasswordReset { .. } => "password_reset",
            Self::PaymentFailed { .. } => "payment_failed",
            Self::TrialEnding { .. } => "trial_ending",
            Self::TrialEnded { .. } => "trial_ended",
            Self::SubscriptionCanceled { .. } => "subscription_canceled",
            Self::PaymentDue { .. } => "payment_due",
            Self::PaidTwice { .. } => "paid_twice",
            Self::PaymentNotCredited { .. } => "payment_not_credited",
            Self::DeletionWarning { .. } => "deletion_warning",
            Self::PurgeWarning { .. } => "purge_warning",
            Self::OrganizationDeleted { .. } => ORGANIZATION_DELETED,
            Self::ApprovalRequested { .. } => APPROVAL_REQUESTED,
            Self::ApprovalDecided { .. } => APPROVAL_DECIDED,
            Self::SalesInquiry { .. } => SALES_INQUIRY,
            Self::LockoutNotice { .. } => LOCKOUT_NOTICE,
            Self::AddressChanged { .. } => ADDRESS_CHANGED,
            Self::SessionEnded { .. } => SESSION_ENDED,
            Self::DomainRecord { .. } => "domain_record",
        }
    }

    pub(super) const fn priority(&self) -> Priority {
        match self {
            Self::SignupCode { .. } | Self::Verification { .. } | Self::PasswordReset { .. } => {
                Priority::Code
            }
            _ => Priority::News,
        }
    }

    /// How long it is worth sending: a code until it expires, a notice with a deadline in days for three days, else a day.
    pub(super) const fn worth_sending_for(&self) -> Duration {
        match self {
            Self::SignupCode { valid_for, .. }
            | Self::Verification { valid_for, .. }
            | Self::PasswordReset { valid_for, .. } => *valid_for,
            Self::Welcome { .. }
            | Self::ApprovalRequested { .. }
            | Self::ApprovalDecided { .. }
            | Self::SalesInquiry { .. }
            | Self::LockoutNotice { .. } => DAY,
            Self::Invitation { .. }
            | Self::PaymentFailed { .. }
            | Self::AddressChanged { .. }
            | Self::SessionEnded { .. }
            | Self::DomainRecord { .. }
            | Self::TrialEnding { .. }
            | Self::TrialEnded { .. }
            | Self::SubscriptionCanceled { .. }
            | Self::PaymentDue { .. }
            | Self::PaidTwice { .. }
            | Self::PaymentNotCredited { .. }
            | Self::DeletionWarning { .. }
            | Self::PurgeWarning { .. }
            | Self::OrganizationDeleted { .. } => DAY.saturating_mul(3),
        }
    }
}
