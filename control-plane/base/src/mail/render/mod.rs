//! From the subject matter of an email to its subject line and bodies.
//!
//! Names are shown as [`shown`] says, each on its line.

use std::time::Duration;

use minijinja::{Value, context, value::Serde};
use serde::{Deserialize, Serialize, Serializer};
use time::Date;
use zeroize::Zeroizing;

use super::{Template, files, invitation, names::shown};
use crate::input::breaks_a_line;

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
        Template::OrganizationDeleted { .. } => {
            "Your organization on Halyard was deleted".to_owned()
        }
        Template::ApprovalRequested { .. } => {
            "A change on Halyard waits for your review".to_owned()
        }
        Template::ApprovalDecided { is_approved, .. } => match is_approved {
            true => "Your change on Halyard was approved".to_owned(),
            false => "Your change on Halyard was rejected".to_owned(),
        },
        // Sent to our own staff.
        Template::SalesInquiry { company, .. } => {
            format!("Sales inquiry from {}", shortened(company))
        }
        Template::AddressChanged { .. } => "Your Halyard account has another address".to_owned(),
        Template::LockoutNotice { .. } => "Sign-in to your Halyard account is paused".to_owned(),
        Template::DomainRecord { is_lost, .. } => match is_lost {
            true => "A domain of your organization on Halyard is proven no longer".to_owned(),
            false => "The record of a domain on Halyard is missing".to_owned(),
        },
        Template::SessionEnded { .. } => "A session of your Halyard account was ended".to_owned(),
    }
}

/// The values that the template files may use: the fields of the template, and commands for invitations.
fn values(template: &Template<'_>) -> Value {
    let values = Value::from(Serde(template));
    match *template {
        Template::Invitation {
            api, email, org_id, ..
        } => context! { ..invitation::commands(api, email, org_id), ..values },
        _ => values,
    }
}

pub(super) fn as_name<S: Serializer>(name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&shown(name))
}

pub(super) fn as_short_name<S: Serializer>(name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&shortened(name))
}

/// The lines of a note whose reader did not choose its writer: shown as names are, at most 1,000 characters and 50 lines.
pub(super) fn as_quote<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let end = text.char_indices().nth(1_000).map(|(end, _)| end);
    let mut lines: Vec<_> = text[..end.unwrap_or(text.len())]
        .lines()
        .map(shown)
        .collect();
    if end.is_some() || lines.len() > 50 {
        lines.truncate(50);
        lines.push("…".to_owned());
    }
    serializer.collect_seq(lines)
}

pub(super) fn as_lines<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(text.lines().map(|line| line.replace(breaks_a_line, " ")))
}

pub(super) fn as_text<S: Serializer>(date: &Date, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(date)
}

pub(super) fn in_words<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&words(*time))
}

/// A name of bounded length: mail clients show little more than 60 characters of a subject.
fn shortened(name: &str) -> String {
    let name = shown(name);
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name,
    }
}

const DAY: u64 = 86_400;

/// A duration in words, in the largest unit that divides it.
fn words(duration: Duration) -> String {
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
