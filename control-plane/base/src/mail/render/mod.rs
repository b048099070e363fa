//! From the subject matter of an email to its subject line and bodies.
//!
//! Names are shown as [`shown`] says, each on its line.

use std::time::Duration;

use minijinja::{Value, context};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::{Template, Welcomed, files, invitation, names::shown};
use crate::input::breaks_a_line;

/// The longest part of a name in a subject line, in characters: mail clients show little more than that in total.
const LONGEST_IN_SUBJECT: usize = 60;

#[derive(Serialize, Deserialize)]
pub(super) struct Content {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}

impl Content {
    pub(super) fn render(template: &Template<'_>) -> Self {
        let kind = template.kind();
        let subject = subject(template);
        let values = context! { subject => &subject, ..values(template) };
        Self {
            text: files::fill(&format!("{kind}.txt"), &values),
            html: files::fill(&format!("{kind}.html"), &values),
            subject,
        }
    }

    /// A serialized form. It contains codes and links, so it has to be sealed.
    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(serde_json::to_vec(self).expect("texts are JSON"))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes)
    }
}

fn subject(template: &Template<'_>) -> String {
    match template {
        Template::SignupCode { .. } => "Your Halyard sign-up code".to_owned(),
        Template::Welcome { .. } => "Welcome to Halyard".to_owned(),
        Template::Verification { .. } => "Confirm your e-mail address".to_owned(),
        // Without the organization's name: its members chose it, and the recipient did not choose them.
        Template::Invitation { .. } => "You were invited to an organization on Halyard".to_owned(),
        Template::PasswordReset { .. } => "Your Halyard password reset code".to_owned(),
        Template::PaymentFailed { .. } => {
            "A payment for your organization on Halyard did not go through".to_owned()
        }
        Template::TrialEnding { .. } => {
            "The trial of your organization on Halyard ends soon".to_owned()
        }
        Template::TrialEnded { .. } => {
            "The trial of your organization on Halyard has ended".to_owned()
        }
        Template::SubscriptionCanceled { .. } => {
            "The subscription of your organization on Halyard has ended".to_owned()
        }
        Template::PaymentDue { .. } => {
            "A payment for your organization on Halyard is due".to_owned()
        }
        Template::PaidTwice { .. } => {
            "A second subscription of your organization on Halyard was paid for".to_owned()
        }
        Template::PaymentNotCredited { .. } => {
            "A payment for your organization on Halyard could not be credited".to_owned()
        }
        Template::DeletionWarning { .. } => {
            "Your organization on Halyard will be deleted soon".to_owned()
        }
        Template::PurgeWarning { .. } => {
            "Your organization on Halyard will be deleted permanently".to_owned()
        }
        // Sent to our own staff.
        Template::SalesInquiry { company, .. } => {
            format!("Sales inquiry from {}", shortened(company))
        }
        Template::LockoutNotice { .. } => "Sign-in to your Halyard account is paused".to_owned(),
        Template::SessionEnded { .. } => "A session of your Halyard account was ended".to_owned(),
    }
}

/// The values that the template files may use.
fn values(template: &Template<'_>) -> Value {
    match *template {
        Template::SignupCode { code, valid_for } => {
            context! { code, valid_for => in_words(valid_for) }
        }
        Template::Welcome {
            name,
            organization,
            welcomed,
            link,
        } => context! {
            name => shown(name),
            organization => shown(organization),
            is_founder => welcomed == Welcomed::Founder,
            link,
        },
        Template::Verification {
            name,
            link,
            valid_for,
        } => context! { name => shown(name), link, valid_for => in_words(valid_for) },
        Template::Invitation {
            organization,
            org_id,
            role,
            email,
            way,
            api,
            link,
        } => context! {
            organization => shown(organization),
            role,
            link,
            ..invitation::values(api, email, org_id, way)
        },
        Template::PasswordReset {
            name,
            code,
            valid_for,
        } => context! { name => shown(name), code, valid_for => in_words(valid_for) },
        Template::PaymentFailed { organization, link }
        | Template::TrialEnded { organization, link }
        | Template::PaymentDue { organization, link }
        | Template::PaidTwice { organization, link } => {
            context! { organization => shown(organization), link }
        }
        Template::TrialEnding {
            organization,
            date,
            link,
        } => {
            context! { organization => shown(organization), date => date.to_string(), link }
        }
        Template::PaymentNotCredited {
            organization,
            reference,
            link,
        } => context! { organization => shown(organization), reference, link },
        Template::SubscriptionCanceled {
            organization,
            plan,
            link,
        } => context! { organization => shown(organization), plan, link },
        Template::DeletionWarning {
            organization,
            last_login,
            date,
            grace,
            link,
        } => context! {
            organization => shown(organization),
            last_login => last_login.to_string(),
            date => date.to_string(),
            grace => in_words(grace),
            link,
        },
        Template::PurgeWarning {
            organization,
            last_login,
            date,
            link,
        } => context! {
            organization => shown(organization),
            last_login => last_login.to_string(),
            date => date.to_string(),
            link,
        },
        Template::SalesInquiry {
            contact_name,
            email,
            company,
            team_size,
            message,
        } => context! {
            contact_name => shown(contact_name),
            email,
            company => shown(company),
            team_size => shown(team_size),
            message => message.lines().map(one_line).collect::<Vec<_>>(),
        },
        Template::LockoutNotice {
            name,
            locked_for,
            link,
        } => context! { name => shown(name), locked_for => in_words(locked_for), link },
        Template::SessionEnded { name, link } => context! { name => shown(name), link },
    }
}

fn one_line(text: &str) -> String {
    text.replace(breaks_a_line, " ")
}

fn shortened(name: &str) -> String {
    let name = shown(name);
    match name.char_indices().nth(LONGEST_IN_SUBJECT) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name,
    }
}

const DAY: u64 = 86_400;

/// A duration in words, in the largest unit that divides it.
fn in_words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (count, unit) = match seconds {
        0 => (0, "second"),
        _ if seconds > 2 * DAY && seconds.is_multiple_of(DAY) => (seconds / DAY, "day"),
        _ if seconds.is_multiple_of(3_600) => (seconds / 3_600, "hour"),
        _ if seconds.is_multiple_of(60) => (seconds / 60, "minute"),
        _ => (seconds, "second"),
    };
    match count {
        1 => format!("1 {unit}"),
        _ => format!("{count} {unit}s"),
    }
}

#[cfg(test)]
mod tests;
