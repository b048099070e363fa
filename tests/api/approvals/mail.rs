//! Mail about requests: to members who may review them, and about decisions to the requestor.

use std::time::Duration;

use harness::{App, Mail};
use serde_json::{Value, json};

use super::{Setup, approve, decide, reject};

const REQUESTED: &str = "A change on Halyard waits for your review";
const APPROVED: &str = "Your change on Halyard was approved";
const REJECTED: &str = "Your change on Halyard was rejected";
const QUARTER: Duration = Duration::from_secs(15 * 60);

/// An owner with a proven address.
async fn set_up() -> Setup {
    let setup = Setup::new().await;
    setup.owner.prove_address(setup.app.pool()).await;
    setup
}

/// The mails about approvals that were sent, once none waits.
async fn mails(app: &App) -> Vec<Mail> {
    let mut mails = app.mails().await;
    mails.retain(|mail| [REQUESTED, APPROVED, REJECTED].contains(&mail.subject.as_str()));
    mails
}

/// Subject and recipient of each, sorted.
fn sent(mails: &[Mail]) -> Vec<(&str, &str)> {
    let mut sent: Vec<_> = mails
        .iter()
        .map(|mail| (mail.subject.as_str(), mail.to.as_str()))
        .collect();
    sent.sort_unstable();
    sent
}

/// Minutes until each mail about approvals that waits for its time.
async fn waiting(app: &App) -> Vec<i64> {
    let due: Vec<time::OffsetDateTime> = sqlx::query_scalar(
        "SELECT due_at FROM mails WHERE kind LIKE 'approval_%' AND due_at > $1 ORDER BY due_at",
    )
    .bind(app.clock.now())
    .fetch_all(app.pool())
    .await
    .expect("the test's database");
    let now = app.clock.now();
    due.iter().map(|at| (*at - now).whole_minutes()).collect()
}

#[tokio::test]
async fn a_request_is_mailed_to_each_member_who_may_review_it() {
    let setup = set_up().await;
    let (app, owner) = (&setup.app, &setup.owner);
    app.set_plan(owner, "enterprise").await;
    let admin = app.member(owner, "admin").await;
    let reviewer = app.member(owner, "admin").await;
    app.hold_to(owner, &reviewer, &["approvals.review"]).await;
    let editor = app.member(owner, "admin").await;
    app.hold_to(owner, &editor, &["flags.toggle"]).await;
    let built_in = app.member(owner, "admin").await;
    let admin_role = "00000000-0000-7000-8000-000000000002";
    app.assign(owner, &built_in, Some(admin_role)).await;
    let viewer = app.member(owner, "admin").await;
    let viewer_role = "00000000-0000-7000-8000-000000000004";
    app.assign(owner, &viewer, Some(viewer_role)).await;
    for role in ["developer", "viewer"] {
        app.member(owner, role).await;
    }
    let stranger = app.signup("globex").await;
    stranger.prove_address(app.pool()).await;

    let mut asked = setup.asking("update_state", &json!({"enabled": true}));
    asked["note"] = json!("As of ticket 5.\nSee https://evil.example/<b>");
    let asked = setup.developer.post("/v1/approvals", asked).await;
    let id = asked.expect_status(201).text("/id");

    let mails = mails(app).await;
    let mut expected = [owner, &admin, &reviewer, &built_in].map(|user| (REQUESTED, &*user.email));
    expected.sort_unstable();
    assert_eq!(sent(&mails), expected);
    let Mail { text, html, .. } = &mails[0];
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines[..11],
        [
            "developer of acme asks for a change,",
            "which takes effect once it is approved.",
            "",
            "Project: default",
            "Flag: f",
            "Environment: dev",
            "Change: update_state",
            "> As of ticket 5.",
            "> See https: / /evil. example/<b>",
            "",
            "Here you see all of it, and approve or reject it. There is at most one such",
        ]
    );
    assert!(
        html.contains("See https: / /evil. example/&lt;b&gt;"),
        "{html}"
    );
    assert!(text.contains("mail in 15 minutes"), "{text}");
    let link = format!("/approvals?id={id}");
    assert!(lines.iter().any(|line| line.ends_with(&link)), "{text}");
}

#[tokio::test]
async fn a_requestor_who_may_review_gets_no_mail_about_their_own_request() {
    let setup = set_up().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let asked = setup.asking("enable", &json!({}));
    admin.create("/v1/approvals", asked).await;
    let mails = mails(&setup.app).await;
    assert_eq!(sent(&mails), [(REQUESTED, &*setup.owner.email)]);
}

#[tokio::test]
async fn a_decision_is_mailed_to_the_requestor_with_the_note() {
    let setup = set_up().await;
    for (action, subject, words) in [
        (
            "approve",
            APPROVED,
            "Owner of acme approved your change,\nand it is in effect.\n",
        ),
        ("reject", REJECTED, "Owner of acme rejected your change.\n"),
    ] {
        let approval = setup.ask("enable", json!({})).await;
        let body = json!({"action": action, "note": "Seen by two.\nThanks"});
        let reviewed = setup.owner.post(&format!("{approval}/review"), body).await;
        reviewed.expect_status(200);

        let mails = mails(&setup.app).await;
        let mail = mails.iter().find(|mail| mail.subject == subject).unwrap();
        assert_eq!(mail.to, setup.developer.email);
        let about = "\nProject: default\nFlag: f\nEnvironment: dev\nChange: enable\n> Seen by two.\n> Thanks\n\n";
        let text = mail.text.replace("\r\n", "\n");
        assert!(text.starts_with(&format!("{words}{about}")), "{text}");
        let id = reviewed.text("/id");
        assert!(mail.link().ends_with(&format!("/approvals?id={id}")));
        setup.app.clock.advance(QUARTER);
    }
}

#[tokio::test]
async fn an_approval_that_is_not_the_last_one_mails_nothing() {
    let setup = set_up().await;
    setup.require(2).await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let approval = setup.ask("enable", Value::Null).await;
    approve(&admin, &approval).await.expect_status(200);
    let so_far = mails(&setup.app).await;
    assert!(so_far.iter().all(|mail| mail.subject == REQUESTED));
    approve(&setup.owner, &approval).await.expect_status(200);
    let last = setup.app.mail_to(&setup.developer.email).await;
    assert_eq!(last.subject, APPROVED);
}

#[tokio::test]
async fn a_refused_review_mails_nothing() {
    let setup = set_up().await;
    let approval = setup.ask("enable", json!({})).await;
    decide(&setup.owner, &approval, "perhaps")
        .await
        .expect_status(400);
    decide(&setup.developer, &approval, "approve")
        .await
        .expect_status(403);
    setup.owner.remove(&setup.flag).await;
    approve(&setup.owner, &approval).await.expect_status(409);
    let mails = mails(&setup.app).await;
    assert_eq!(sent(&mails), [(REQUESTED, &*setup.owner.email)]);
}

#[tokio::test]
async fn a_member_gets_one_mail_about_requests_and_one_about_decisions_in_fifteen_minutes() {
    let setup = set_up().await;
    let mut approvals = Vec::new();
    for number in 0..5 {
        approvals.push(setup.ask(&format!("change {number}"), json!({})).await);
    }
    assert_eq!(waiting(&setup.app).await, [15]);
    setup.app.clock.advance(Duration::from_secs(5 * 60));
    for approval in &approvals {
        reject(&setup.owner, approval).await.expect_status(200);
    }
    assert_eq!(waiting(&setup.app).await, [10, 15]);

    setup.app.clock.advance(QUARTER);
    let first = mails(&setup.app).await;
    let (owner, developer) = (&*setup.owner.email, &*setup.developer.email);
    assert_eq!(
        sent(&first),
        [
            (REQUESTED, owner),
            (REQUESTED, owner),
            (REJECTED, developer),
            (REJECTED, developer)
        ]
    );
    let changes = |subject: &str| -> Vec<_> {
        let of_subject = first.iter().filter(|mail| mail.subject == subject);
        of_subject
            .map(|mail| mail.text.lines().find(|line| line.starts_with("Change")))
            .collect()
    };
    let expected = [Some("Change: change 0"), Some("Change: change 1")];
    assert_eq!(changes(REQUESTED), expected);
    assert_eq!(changes(REJECTED), expected);
    // The interval begins with the last one.
    setup.ask("later", Value::Null).await;
    assert_eq!(waiting(&setup.app).await, [10]);
}

#[tokio::test]
async fn mail_that_waits_goes_with_the_membership() {
    let setup = set_up().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let first = setup.ask("first", json!({})).await;
    let second = setup.ask("second", json!({})).await;
    assert_eq!(waiting(&setup.app).await, [15, 15]);
    for user in [&admin, &setup.developer] {
        let member = setup.owner.member_id_of(&user.email).await;
        setup.owner.remove(&format!("/v1/members/{member}")).await;
    }
    assert_eq!(waiting(&setup.app).await, [15]);
    setup.app.clock.advance(QUARTER);
    let to_owner = (REQUESTED, &*setup.owner.email);
    let mut expected = [to_owner, to_owner, (REQUESTED, &*admin.email)];
    expected.sort_unstable();
    assert_eq!(sent(&mails(&setup.app).await), expected);

    // The requestor has left too.
    for approval in [&first, &second] {
        reject(&setup.owner, approval).await.expect_status(200);
    }
    assert_eq!(sent(&mails(&setup.app).await), expected);
}

#[tokio::test]
async fn members_without_a_proven_address_or_a_sign_in_here_get_no_mail() {
    let setup = Setup::new().await;
    let (app, owner) = (&setup.app, &setup.owner);
    let stranger = app.signup("globex").await;
    stranger.prove_address(app.pool()).await;
    for email in [stranger.email.as_str(), "unknown@globex.test"] {
        let invited = json!({"email": email, "role": "admin"});
        owner.create("/v1/members/invite", invited).await;
    }
    setup.ask("enable", json!({})).await;
    assert_eq!(sent(&mails(app).await), []);

    let stranger = harness::User::login(&app.anonymous(), &stranger.email, &owner.org_id).await;
    setup.ask("enable", json!({})).await;
    assert_eq!(sent(&mails(app).await), [(REQUESTED, &*stranger.email)]);
}

#[tokio::test]
async fn requests_made_at_the_same_time_are_one_mail() {
    let setup = set_up().await;
    let ask = async |number: usize| {
        let asked = setup.asking(&format!("change {number}"), &json!({}));
        setup.developer.create("/v1/approvals", asked).await
    };
    tokio::join!(ask(0), ask(1), ask(2), ask(3));
    assert_eq!(waiting(&setup.app).await, [15]);
    setup.app.clock.advance(QUARTER);
    assert_eq!(mails(&setup.app).await.len(), 2);
}

#[tokio::test]
async fn fifty_members_at_most_get_mail_about_a_request() {
    let setup = set_up().await;
    setup
        .app
        .execute(
            "WITH made AS (
                 INSERT INTO users (id, email, name, email_verified, created_at, updated_at)
                 SELECT gen_random_uuid(), 'admin' || number || '@member.test', 'Admin', true, created_at, updated_at
                 FROM users, generate_series(1, 60) AS number
                 WHERE email = $1
                 RETURNING id, created_at
             )
             INSERT INTO members (id, org_id, user_id, role, created_at)
             SELECT gen_random_uuid(), $2::uuid, id, 'admin', created_at FROM made",
            &[&setup.owner.email, &setup.owner.org_id],
        )
        .await;
    setup.ask("enable", json!({})).await;
    let mails = mails(&setup.app).await;
    assert_eq!(mails.len(), 50);
    // Those who signed in come first.
    assert!(mails.iter().any(|mail| mail.to == setup.owner.email));
}
