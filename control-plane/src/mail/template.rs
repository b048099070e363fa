//! Which mails there are, what each needs to know, and how long it is worth sending.

use std::time::Duration;

/// A mail. Links are whole addresses. Names may hold anything; they are escaped where they are shown.
#[derive(Clone, Copy)]
pub enum Template<'a> {
    /// The code that finishes a sign-up. Anybody can have it sent to anybody, hence no name that the sender chose.
    SignupCode {
        /// Six digits.
        code: &'a str,
        /// Life of the code.
        valid_for: Duration,
    },
    /// An account is complete.
    Welcome {
        /// Of the user.
        name: &'a str,
        /// Name of the organization that was made.
        organization: &'a str,
        /// To the dashboard.
        link: &'a str,
    },
    /// Asks the owner of an address to confirm it.
    Verification {
        /// Of the user.
        name: &'a str,
        /// Confirms when followed.
        link: &'a str,
        /// Life of the link.
        valid_for: Duration,
    },
    /// Somebody was made a member of an organization.
    Invitation {
        /// Name of the organization.
        organization: &'a str,
        /// What the member may do, as the API names it.
        role: &'a str,
        /// To sign-up or, with an account, to login.
        link: &'a str,
    },
    /// The code that sets a new password.
    PasswordReset {
        /// Of the user.
        name: &'a str,
        /// Six digits.
        code: &'a str,
        /// Life of the code.
        valid_for: Duration,
    },
    /// An organization's payment did not go through.
    PaymentFailed {
        /// Name of the organization.
        organization: &'a str,
        /// To where it is paid.
        link: &'a str,
    },
    /// Somebody wants to buy. To our own people; the sender chose every word of it.
    SalesInquiry {
        /// Of the person who asks.
        contact_name: &'a str,
        /// Where they can be answered.
        email: &'a str,
        /// Where they work.
        company: &'a str,
        /// How many they are, possibly empty.
        team_size: &'a str,
        /// What they want, in lines, possibly empty.
        message: &'a str,
    },
    /// Sign-in is refused for a while after wrong passwords.
    LockoutNotice {
        /// Of the user.
        name: &'a str,
        /// How long it is refused.
        locked_for: Duration,
        /// To where the password can be reset.
        link: &'a str,
    },
}

/// Other mail is old news after a day.
const NEWS: Duration = Duration::from_secs(24 * 60 * 60);

impl Template<'_> {
    /// The name of the mail in counters, logs and template files.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::SignupCode { .. } => "signup_code",
            Self::Welcome { .. } => "welcome",
            Self::Verification { .. } => "verification",
            Self::Invitation { .. } => "invitation",
            Self::PasswordReset { .. } => "password_reset",
            Self::PaymentFailed { .. } => "payment_failed",
            Self::SalesInquiry { .. } => "sales_inquiry",
            Self::LockoutNotice { .. } => "lockout_notice",
        }
    }

    /// How long it is worth sending: nobody wants a code that is no longer valid.
    pub(super) const fn worth_sending_for(&self) -> Duration {
        match self {
            Self::SignupCode { valid_for, .. }
            | Self::Verification { valid_for, .. }
            | Self::PasswordReset { valid_for, .. } => *valid_for,
            Self::Welcome { .. }
            | Self::Invitation { .. }
            | Self::PaymentFailed { .. }
            | Self::SalesInquiry { .. }
            | Self::LockoutNotice { .. } => NEWS,
        }
    }
}
