//! From the subject matter of an email to its subject line and bodies.
//!
//! Control characters in names become spaces, so that a name stays on its line.

use std::time::Duration;

use minijinja::{Value, context};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::{Template, files};

/// The longest part of a name in a subject line, in characters: mail clients show little more than that in total.
const LONGEST_IN_SUBJECT: usize = 60;

/// An email as its reader sees it.
#[derive(Serialize, Deserialize)]
pub(super) struct Content {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}

impl Content {
    /// Renders an email.
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

    /// A form that can be stored. It contains codes and links, so it has to be sealed.
    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(serde_json::to_vec(self).expect("texts are JSON"))
    }

    /// Reads the stored form.
    pub(super) fn from_bytes(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes)
    }
}

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
        Template::TrialEnding { organization, .. } => {
            format!("The trial of {} ends soon", shortened(organization))
        }
        Template::TrialEnded { organization, .. } => {
            format!("The trial of {} has ended", shortened(organization))
        }
        Template::SubscriptionCanceled { organization, .. } => {
            format!("The subscription of {} has ended", shortened(organization))
        }
        Template::PaymentDue { organization, .. } => {
            format!("A payment for {} is due", shortened(organization))
        }
        Template::DeletionWarning { organization, .. } => {
            format!("{} will be deleted soon", shortened(organization))
        }
        Template::PurgeWarning { organization, .. } => {
            format!("{} will be deleted permanently", shortened(organization))
        }
        Template::SalesInquiry { company, .. } => {
            format!("Sales inquiry from {}", shortened(company))
        }
        Template::LockoutNotice { .. } => "Sign-in to your Halyard account is paused".to_owned(),
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
        Template::PaymentFailed { organization, link }
        | Template::TrialEnded { organization, link }
        | Template::PaymentDue { organization, link } => {
            context! { organization => one_line(organization), link }
        }
        Template::TrialEnding {
            organization,
            date,
            link,
        } => {
            context! { organization => one_line(organization), date => date.to_string(), link }
        }
        Template::SubscriptionCanceled {
            organization,
            plan,
            link,
        } => context! { organization => one_line(organization), plan, link },
        Template::DeletionWarning {
            organization,
            last_login,
            date,
            grace,
            link,
        } => context! {
            organization => one_line(organization),
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
            organization => one_line(organization),
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
            contact_name => one_line(contact_name),
            email,
            company => one_line(company),
            team_size => one_line(team_size),
            message => message.lines().map(one_line).collect::<Vec<_>>(),
        },
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

/// Control characters, and the line and paragraph separators of Unicode.
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

/// In seconds.
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
mod tests {
    use time::macros::date;

    use super::*;

    const LINK: &str = "https://flags.example.com/verify?token=t0ken&email=ada%40example.com";
    const MINUTES: Duration = Duration::from_secs(600);
    /// The name of somebody who tries every trick.
    const EVIL: &str = "<b>Eve</b> & \"co\"\r\nBcc: all@example.com\u{2028}{{ code }}";

    fn every_mail(name: &str) -> [Template<'_>; 14] {
        let date = date!(2026 - 05 - 18);
        [
            Template::SignupCode {
                code: "042042",
                valid_for: MINUTES,
            },
            Template::Welcome {
                name,
                organization: name,
                link: LINK,
            },
            Template::Verification {
                name,
                link: LINK,
                valid_for: Duration::from_secs(86_400),
            },
            Template::Invitation {
                organization: name,
                role: "developer",
                link: LINK,
            },
            Template::PasswordReset {
                name,
                code: "042042",
                valid_for: Duration::from_secs(900),
            },
            Template::PaymentFailed {
                organization: name,
                link: LINK,
            },
            Template::LockoutNotice {
                name,
                locked_for: Duration::from_secs(900),
                link: LINK,
            },
            Template::TrialEnding {
                organization: name,
                date,
                link: LINK,
            },
            Template::TrialEnded {
                organization: name,
                link: LINK,
            },
            Template::SubscriptionCanceled {
                organization: name,
                plan: "Free",
                link: LINK,
            },
            Template::PaymentDue {
                organization: name,
                link: LINK,
            },
            Template::DeletionWarning {
                organization: name,
                last_login: date,
                date,
                grace: Duration::from_secs(90 * DAY),
                link: LINK,
            },
            Template::PurgeWarning {
                organization: name,
                last_login: date,
                date,
                link: LINK,
            },
            Template::SalesInquiry {
                contact_name: name,
                email: "ada@example.com",
                company: name,
                team_size: name,
                message: name,
            },
        ]
    }

    #[test]
    fn every_mail_says_the_same_in_both_parts() {
        for template in every_mail("Ada") {
            let Content {
                subject,
                text,
                html,
            } = Content::render(&template);
            assert!(!subject.is_empty());
            assert!(text.lines().all(|line| line == LINK || line.len() <= 80));
            assert!(html.contains("<!doctype html>") && !text.contains('<'));
            for shown in [&text, &html] {
                assert!(!shown.contains("{{"), "{subject}");
                let has_code = shown.contains("042042");
                let has_link = shown.contains("flags.example.com");
                let asks_something = !matches!(template, Template::SalesInquiry { .. });
                assert!(has_code != has_link || !asks_something, "{subject}");
            }
        }
    }

    #[test]
    fn links_stand_as_text_and_as_targets() {
        let Content { text, html, .. } = Content::render(&every_mail("Ada")[2]);
        let escaped = LINK.replace('&', "&amp;");
        assert!(text.lines().any(|line| line == LINK));
        assert_eq!(html.matches(&format!("href=\"{escaped}\"")).count(), 2);
        assert!(html.contains(&format!(">{escaped}</a>")));
    }

    #[test]
    fn names_are_text_on_one_line() {
        for template in every_mail(EVIL) {
            let Content {
                subject,
                text,
                html,
            } = Content::render(&template);
            assert!(!subject.contains(is_line_breaking), "{subject:?}");
            assert!(
                !html.contains("<b>") && !html.contains('\u{2028}'),
                "{html}"
            );
            assert!(!text.contains("\nBcc") && !html.contains("\nBcc"), "{text}");
        }
        let Content { text, html, .. } = Content::render(&every_mail(EVIL)[1]);
        assert!(text.starts_with("Welcome, <b>Eve</b> & \"co\"  Bcc:"));
        assert!(html.contains("Welcome, &lt;b&gt;Eve&lt;/b&gt; &amp; &quot;co&quot;"));
    }

    #[test]
    fn long_names_are_cut_in_subjects() {
        let name = "ö".repeat(255);
        let Content { subject, text, .. } = Content::render(&every_mail(&name)[3]);
        let expected = format!("You were invited to {}… on Halyard", "ö".repeat(60));
        assert_eq!(subject, expected);
        assert!(text.contains(&name));
    }

    #[test]
    fn the_lines_of_an_inquiry_are_quoted() {
        let inquiry = |message| {
            Content::render(&Template::SalesInquiry {
                contact_name: "Ada",
                email: "ada@example.com",
                company: "Analytical Engines",
                team_size: "",
                message,
            })
        };
        let Content { text, html, .. } = inquiry("Hello,\r\n\nmany <b>flags</b>?\n");
        assert!(
            text.contains("\n> Hello,\n> \n> many <b>flags</b>?\n"),
            "{text}"
        );
        assert!(
            html.contains("Hello,<br><br>many &lt;b&gt;flags&lt;/b&gt;?<br>"),
            "{html}"
        );
        assert!(text.contains("Team size: not told"), "{text}");
        assert!(!inquiry("").text.contains('>'));
    }

    #[test]
    fn durations_are_said_in_the_largest_unit_that_fits() {
        let words = [0, 1, 59, 60, 90, 900, 3_600, DAY, 90 * DAY].map(Duration::from_secs);
        assert_eq!(
            words.map(in_words),
            [
                "0 seconds",
                "1 second",
                "59 seconds",
                "1 minute",
                "90 seconds",
                "15 minutes",
                "1 hour",
                "24 hours",
                "90 days"
            ]
        );
    }
}
