//! The kinds of mail: their names in counters, logs and template files.

/// The kinds of mail.
pub(crate) const KINDS: &[&str] = &[
    "signup_code",
    WELCOME,
    "verification",
    "invitation",
    "password_reset",
    "payment_failed",
    "trial_ending",
    "trial_ended",
    "subscription_canceled",
    "payment_due",
    "paid_twice",
    "payment_not_credited",
    "deletion_warning",
    "purge_warning",
    ORGANIZATION_DELETED,
    APPROVAL_REQUESTED,
    APPROVAL_DECIDED,
    SALES_INQUIRY,
    LOCKOUT_NOTICE,
    ADDRESS_CHANGED,
    SESSION_ENDED,
    "domain_record",
];

/// Mail to our own staff, without a rate.
pub(super) const SALES_INQUIRY: &str = "sales_inquiry";

pub(super) const APPROVAL_REQUESTED: &str = "approval_requested";
pub(super) const APPROVAL_DECIDED: &str = "approval_decided";

/// Sent to accounts that are deleted with the organization.
pub(super) const ORGANIZATION_DELETED: &str = "organization_deleted";

pub(super) const WELCOME: &str = "welcome";
pub(super) const LOCKOUT_NOTICE: &str = "lockout_notice";
pub(super) const ADDRESS_CHANGED: &str = "address_changed";
pub(super) const SESSION_ENDED: &str = "session_ended";

/// Whether mail of this kind is about the recipient's own account.
pub(super) fn is_about_account(kind: &str) -> bool {
    matches!(
        kind,
        WELCOME | LOCKOUT_NOTICE | ADDRESS_CHANGED | SESSION_ENDED
    )
}

/// Whether mail of this kind is about approvals.
pub(super) fn is_about_approvals(kind: &str) -> bool {
    [APPROVAL_REQUESTED, APPROVAL_DECIDED].contains(&kind)
}
