//! From what a mail is about to its subject and bodies.
//!
//! Templates are files beside this one, compiled in: `<kind>.txt` and `<kind>.html` for every mail, and one HTML layout for
//! all. In HTML everything is escaped. Control characters become spaces, so that a name fits on its line.

use std::{sync::LazyLock, time::Duration};

use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::Template;

/// Longest part of a name in a subject, in characters: mail clients show little more of the whole.
const LONGEST_IN_SUBJECT: usize = 60;

/// A mail as its reader sees it.
#[derive(Serialize, Deserialize)]
pub(super) struct Content {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}

impl Content {
    /// Renders a mail.
    pub(super) fn render(template: &Template<'_>) -> Self {
        let kind = template.kind();
        let subject = subject(template);
        let values = context! { subject => &subject, ..values(template) };
        let body = |name: String| {
            TEMPLATES
                .get_template(&name)
                .and_then(|template| template.render(&values))
                .expect("a test renders every mail")
        };
        Self {
            text: body(format!("{kind}.txt")),
            html: body(format!("{kind}.html")),
            subject,
        }
    }

    /// A form that can be kept. It holds codes and links: to be sealed.
    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(serde_json::to_vec(self).expect("texts are JSON"))
    }

    /// Reads that form.
    pub(super) fn from_bytes(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes)
    }
}

macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("templates/", $name)))),*]
    };
}

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    for (name, source) in templates![
        "layout.html",
        "parts.html",
        "signup_code.html",
        "signup_code.txt",
        "welcome.html",
        "welcome.txt",
        "verification.html",
        "verification.txt",
        "invitation.html",
        "invitation.txt",
        "password_reset.html",
        "password_reset.txt",
        "payment_failed.html",
        "payment_failed.txt",
        "lockout_notice.html",
        "lockout_notice.txt",
    ] {
        environment
            .add_template(name, source)
            .expect("a test parses every template");
    }
    environment
});

fn subject(template: &Template<'_>) -> String {
    match template {
        Template::SignupCode { .. } => "Your Halyard sign-up code".to_owned(),
        Template::Welcome { .. } => "Welcome to Halyard".to_owned(),
        Template::Verification { .. } => "Confirm your e-mail address".to_owned(),
        Template::Invitation { organization, .. } => {
            format!("You were invited to {} on Halyard", shortened(organization))
        }
        Template::PasswordReset { .. } => "Your Halyard password reset code".to_owned(),
        Template::PaymentFailed { organization, .. } => {
            format!(
                "A payment for {} did not go through",
                shortened(organization)
            )
        }
        Template::LockoutNotice { .. } => "Sign-in to your Halyard account is paused".to_owned(),
    }
}

/// What the template files may name.
fn values(template: &Template<'_>) -> Value {
    match *template {
        Template::SignupCode { code, valid_for } => {
            context! { code, valid_for => in_words(valid_for) }
        }
        Template::Welcome {
            name,
            organization,
            link,
        } => context! { name => one_line(name), organization => one_line(organization), link },
        Template::Verification {
            name,
            link,
            valid_for,
        } => context! { name => one_line(name), link, valid_for => in_words(valid_for) },
        Template::Invitation {
            organization,
            role,
            link,
        } => context! { organization => one_line(organization), role, link },
        Template::PasswordReset {
            name,
            code,
            valid_for,
        } => context! { name => one_line(name), code, valid_for => in_words(valid_for) },
        Template::PaymentFailed { organization, link } => {
            context! { organization => one_line(organization), link }
        }
        Template::LockoutNotice {
            name,
            locked_for,
            link,
        } => context! { name => one_line(name), locked_for => in_words(locked_for), link },
    }
}

fn one_line(text: &str) -> String {
    text.replace(is_line_breaking, " ")
}

/// Control characters, and what Unicode counts as the end of a line or paragraph.
fn is_line_breaking(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

fn shortened(name: &str) -> String {
    let name = one_line(name);
    match name.char_indices().nth(LONGEST_IN_SUBJECT) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name,
    }
}

/// A duration as people say it, in the largest unit that divides it.
fn in_words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (count, unit) = match seconds {
        0 => (0, "second"),
        _ if seconds % 3_600 == 0 => (seconds / 3_600, "hour"),
        _ if seconds % 60 == 0 => (seconds / 60, "minute"),
        _ => (seconds, "second"),
    };
    match count {
        1 => format!("1 {unit}"),
        _ => format!("{count} {unit}s"),
    }
}
