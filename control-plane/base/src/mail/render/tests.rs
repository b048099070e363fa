use std::collections::BTreeSet;

use time::macros::date;

use super::*;
use crate::mail::{InvitationWay, KINDS, Requested, RequestedOf, Welcomed};

const LINK: &str = "https://flags.example.com/verify?token=t0ken&email=ada%40example.com";
const MINUTES: Duration = Duration::from_secs(600);
/// A name with every known trick.
const EVIL: &str = "<b>Eve</b> & \"co\"\r\nBcc: all@example.com\u{2028}{{ code }}";

fn invitation(name: &str, way: InvitationWay) -> Template<'_> {
    invitation_to(name, way, true)
}

fn invitation_to(name: &str, way: InvitationWay, has_dashboard: bool) -> Template<'_> {
    Template::Invitation {
        inviter: name,
        has_dashboard,
        organization: name,
        org_id: "01970000-0000-7000-8000-000000000000",
        role: "developer",
        email: "ada@example.com",
        way,
        api: "https://flags.example.com",
        link: LINK,
    }
}

fn welcome(name: &str, welcomed: Welcomed) -> Template<'_> {
    Template::Welcome {
        name,
        organization: name,
        welcomed,
        link: LINK,
    }
}

fn requested(name: &str) -> Requested<'_> {
    Requested {
        organization: name,
        project: name,
        of: RequestedOf::Flag {
            flag: name,
            environment: name,
            kind: name,
        },
    }
}

fn requested_set(name: &str) -> Requested<'_> {
    let of = RequestedOf::ChangeSet { change_set: name };
    Requested {
        of,
        ..requested(name)
    }
}

fn decided<'a>(name: &'a str, change: Requested<'a>, is_approved: bool) -> Template<'a> {
    Template::ApprovalDecided {
        change,
        reviewer: name,
        is_approved,
        note: name,
        interval: MINUTES,
        link: LINK,
    }
}

fn asked<'a>(name: &'a str, change: Requested<'a>) -> Template<'a> {
    Template::ApprovalRequested {
        change,
        requestor: name,
        note: name,
        interval: MINUTES,
        link: LINK,
    }
}

fn domain_record(organization: &str, is_lost: bool) -> Template<'_> {
    Template::DomainRecord {
        organization,
        domain: "acme.example",
        record_name: "_halyard.acme.example",
        record_value: "halyard-domain-verification=0123456789abcdef",
        date: date!(2026 - 05 - 18),
        is_lost,
        link: LINK,
    }
}

fn every_mail(name: &str) -> [Template<'_>; 32] {
    let date = date!(2026 - 05 - 18);
    let (organization, link) = (name, LINK);
    [
        Template::SignupCode {
            code: "042042",
            valid_for: MINUTES,
        },
        welcome(name, Welcomed::Founder),
        Template::Verification {
            name,
            link,
            valid_for: Duration::from_secs(86_400),
        },
        invitation(name, InvitationWay::SignUp),
        invitation(name, InvitationWay::Prove),
        Template::AddressChanged { name },
        Template::SessionEnded { name, link },
        Template::PasswordReset {
            name,
            code: "042042",
            valid_for: Duration::from_secs(900),
        },
        Template::PaymentFailed { organization, link },
        Template::LockoutNotice {
            name,
            locked_for: Duration::from_secs(900),
            link,
        },
        Template::TrialEnding {
            organization,
            date,
            link,
        },
        domain_record(name, false),
        domain_record(name, true),
        Template::TrialEnded { organization, link },
        Template::SubscriptionCanceled {
            organization,
            plan: "Free",
            link,
        },
        Template::PaymentDue { organization, link },
        Template::PaidTwice { organization, link },
        Template::PaymentNotCredited {
            organization,
            reference: "FF_0199d6c5_1777896000000",
            link,
        },
        Template::DeletionWarning {
            organization,
            last_login: date,
            date,
            grace: Duration::from_secs(90 * DAY),
            link,
        },
        Template::PurgeWarning {
            organization,
            last_login: date,
            date,
            link,
        },
        Template::OrganizationDeleted {
            organization,
            owner: name,
            email: "ada@example.com",
        },
        Template::SalesInquiry {
            contact_name: name,
            email: "ada@example.com",
            company: name,
            team_size: name,
            message: name,
        },
        asked(name, requested(name)),
        asked(name, requested_set(name)),
        decided(name, requested(name), true),
        decided(name, requested(name), false),
        decided(name, requested_set(name), true),
        invitation(name, InvitationWay::SignIn),
        invitation(name, InvitationWay::AskOperator),
        invitation_to(name, InvitationWay::SignUp, false),
        invitation_to(name, InvitationWay::Prove, false),
        welcome(name, Welcomed::Member),
    ]
}

#[test]
fn every_kind_of_mail_is_counted_from_the_start() {
    let kinds: BTreeSet<_> = every_mail("Ada").iter().map(Template::kind).collect();
    assert_eq!(kinds, KINDS.iter().copied().collect());
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
            let asks_something = !matches!(
                template,
                Template::SalesInquiry { .. }
                    | Template::OrganizationDeleted { .. }
                    | Template::AddressChanged { .. }
            );
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
fn an_invitation_to_a_dashboard_has_its_link_and_no_command() {
    for (way, words) in [
        (InvitationWay::SignUp, "Choose a name and a password"),
        (InvitationWay::Prove, "Reset"),
        (InvitationWay::SignIn, "You have an account."),
        (InvitationWay::AskOperator, "Ask the operator"),
    ] {
        let Content { text, html, .. } = Content::render(&invitation("Ada", way));
        assert!(text.starts_with("Ada invited you to Ada on Halyard"));
        assert!(text.lines().any(|line| line == LINK), "{text}");
        let target = format!("href=\"{}\"", LINK.replace('&', "&amp;"));
        assert_eq!(html.matches(&target).count(), 2, "the button, and its text");
        for part in [text, html] {
            assert!(part.contains(words), "{part}");
            assert!(!part.contains("curl"), "{part}");
        }
    }
}

#[test]
fn an_invitation_without_a_dashboard_says_in_both_parts_what_to_type() {
    for (way, endpoints, words) in [
        (
            InvitationWay::SignUp,
            &["initiate-signup", "complete-signup", "login"][..],
            "no account yet. Two commands open one",
        ),
        (InvitationWay::SignIn, &["login"], "You have an account."),
        (InvitationWay::AskOperator, &["login"], "Ask the operator"),
    ] {
        let Content { text, html, .. } = Content::render(&invitation_to("Ada", way, false));
        assert!(text.contains(words) && html.contains(words), "{text}");
        for part in [text, html] {
            let called = part.split("https://flags.example.com/v1/auth/").skip(1);
            let called: Vec<_> = called
                .map(|rest| rest.split(['\'', '&']).next().unwrap())
                .collect();
            assert_eq!(called, endpoints, "{part}");
        }
    }
}

#[test]
fn names_are_text_on_one_line() {
    for template in every_mail(EVIL) {
        let Content {
            subject,
            text,
            html,
        } = Content::render(&template);
        assert!(!subject.contains(breaks_a_line), "{subject:?}");
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
    let is_inquiry = |template: &Template<'_>| matches!(template, Template::SalesInquiry { .. });
    let inquiry = every_mail(&name).into_iter().find(is_inquiry).unwrap();
    let Content { subject, text, .. } = Content::render(&inquiry);
    assert_eq!(subject, format!("Sales inquiry from {}…", "ö".repeat(60)));
    assert!(text.contains(&name));
}

#[test]
fn long_names_and_notes_are_cut_in_mail_about_approvals() {
    let (name, note) = ("ö".repeat(255), "ü\n".repeat(2_000));
    let Content { text, .. } = Content::render(&Template::ApprovalRequested {
        change: requested(&name),
        requestor: &name,
        note: &note,
        interval: MINUTES,
        link: LINK,
    });
    assert!(!text.contains(&"ö".repeat(61)), "{text}");
    assert_eq!(text.matches("> ü").count(), 50, "{text}");
    assert!(text.contains("> …\n"), "{text}");
}

#[test]
fn a_page_in_a_name_is_no_link_in_any_mail() {
    for template in every_mail("https://evil.example/win") {
        let Content {
            subject,
            text,
            html,
        } = Content::render(&template);
        if matches!(template, Template::SalesInquiry { .. }) {
            // The message is the inquiry itself, and its readers are our own staff.
            assert!(!subject.contains("evil.example"));
            continue;
        }
        for shown in [subject, text, html] {
            assert!(!shown.contains("evil.example"), "{shown}");
            assert!(!shown.contains("https://evil"), "{shown}");
        }
    }
}

#[test]
fn no_subject_has_words_that_members_chose() {
    for (mail, other) in every_mail("You won!").iter().zip(every_mail("Acme")) {
        let [one, other] = [*mail, other].map(|mail| Content::render(&mail).subject);
        // Our own staff read inquiries.
        if matches!(mail, Template::SalesInquiry { .. }) {
            assert_eq!(one, "Sales inquiry from You won!");
        } else {
            assert_eq!(one, other);
        }
    }
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
    let times = [0, 1, 59, 60, 90, 900, 3_600, DAY, 90 * DAY].map(Duration::from_secs);
    assert_eq!(
        times.map(words),
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
