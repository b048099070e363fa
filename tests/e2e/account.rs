//! `halyard account`, `halyard org` and `halyard mail`: what operators do to accounts and organizations.

use harness::mails::{Mail, in_folder};
use harness::user::PASSWORD;
use harness::{Authenticator, Stack, eventually};
use serde_json::json;
use time::OffsetDateTime;

#[tokio::test]
async fn an_operator_opens_the_first_account_where_sign_up_is_closed() {
    let stack = Stack::start_with(&[("SIGNUP", "closed"), ("DEFAULT_PLAN", "pro")]).await;
    let body =
        json!({"email": "ada@acme.test", "password": PASSWORD, "name": "Ada", "org_name": "Acme"});
    let anonymous = stack.anonymous();
    let refused = anonymous.post("/v1/auth/register", body).await;
    refused.expect_status(403);

    let create = |email: &'static str| {
        let account = ["account", "create", "--email", email];
        let names = ["--name", "Ada", "--org-name", "Acme"];
        [&account[..], &names].concat()
    };
    let told = stack.halyard(&create("ada@acme.test"));
    assert!(told.contains(", on pro\n"), "{told}");
    let (_, rest) = told.split_once("\npassword      ").expect("a password");
    let password = rest.split_whitespace().next().expect("a password");
    let login = json!({"email": "ada@acme.test", "password": password});
    let answer = anonymous.act("/v1/auth/login", login).await;
    let owner = anonymous.with_token(&answer.text("/tokens/access_token"));
    let me = owner.get("/v1/me").await;
    assert_eq!(me.text("/organization/plan"), "pro");

    let arguments = [create("eve@acme.test"), vec!["--password-stdin"]].concat();
    let told = stack
        .control
        .run_with_input(&arguments, &format!("{PASSWORD}\nmore\n"));
    assert!(!told.contains("password"), "{told}");
    let login = json!({"email": "eve@acme.test", "password": PASSWORD});
    anonymous.act("/v1/auth/login", login).await;

    let refused = stack.control.refused(&create("ada@acme.test"));
    assert!(refused.contains("email already registered"), "{refused}");
}

fn run(stack: &Stack, arguments: &[&str]) {
    let told = stack.halyard(arguments);
    assert_eq!(told.lines().count(), 1, "{told}");
}

/// What an operator is refused, in words.
fn refused(stack: &Stack, arguments: &[&str]) -> String {
    stack.control.refused(arguments)
}

#[tokio::test]
async fn an_operator_helps_those_who_cannot_sign_in_while_control_planes_run() {
    let mails = tempfile::tempdir().unwrap();
    let route = format!("dir:{}", mails.path().display());
    let stack = Stack::start_with(&[("LOCKOUT_FAILURES", "2"), ("SMTP_URL", &route)]).await;
    let other = stack.another_control("other").await;
    let email = "ada@acme.test";
    let account = ["account", "create", "--email", email, "--name", "Ada"];
    let arguments = [&account[..], &["--org-name", "Acme", "--password-stdin"]].concat();
    let told = stack
        .control
        .run_with_input(&arguments, &format!("{PASSWORD}\n"));
    assert!(!told.contains("password"), "{told}");
    let anonymous = stack.anonymous();
    let login = async |email: &str, password: &str| {
        let body = json!({"email": email, "password": password});
        anonymous.post("/v1/auth/login", body).await
    };

    let answer = login(email, PASSWORD).await;
    let owner = anonymous.with_token(&answer.expect_status(200).text("/tokens/access_token"));
    let enrolled = owner.act("/v1/auth/mfa/enable", json!(null)).await;
    let phone = Authenticator::new(&enrolled.text("/secret"));
    let code = json!({"code": phone.code(OffsetDateTime::now_utc())});
    owner.act("/v1/auth/mfa/verify", code).await;
    let told = stack.halyard(&["account", "reset-second-factor", email]);
    assert_eq!(told, format!("{email} has no second factor now\n"));
    let told = refused(&stack, &["account", "reset-second-factor", email]);
    assert!(told.contains("the account has no second factor"), "{told}");

    for _ in 0..2 {
        login(email, "Wrong-password-1").await.expect_status(401);
    }
    login(email, PASSWORD).await.expect_status(429);
    let shown = stack.halyard(&["account", "show", email]);
    for line in [
        "second factor -\n",
        "proven        yes\n",
        "failed logins 2, the last 20",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    run(&stack, &["account", "unlock", email]);
    login(email, PASSWORD).await.expect_status(200);
    let told = refused(&stack, &["account", "unlock", email]);
    assert!(told.contains("the address has no failed logins"), "{told}");

    let elsewhere = owner.at(&other.url);
    elsewhere.get("/v1/me").await.expect_status(200);
    run(&stack, &["account", "sign-out", email]);
    for caller in [&elsewhere, &owner.at(owner.base())] {
        caller.get("/v1/me").await.expect_status(401);
    }

    let eve = stack.signup("globex").await;
    let told = refused(&stack, &["account", "set-email", email, &eve.email]);
    assert!(told.contains("email already registered"), "{told}");
    let new = "ada@new.test";
    run(&stack, &["account", "set-email", email, new]);
    let is_notice = |mail: &Mail| mail.subject == "Your Halyard account has another address";
    let notice = eventually("the old address gets a mail", async || {
        in_folder(mails.path()).into_iter().find(is_notice)
    })
    .await;
    assert_eq!(notice.to, email);
    // It tells a stranger who reads the old mailbox nothing of the new one.
    assert!(!notice.raw.contains(new), "{}", notice.raw);
    login(email, PASSWORD).await.expect_status(401);
    let answer = login(new, PASSWORD).await;
    let owner = anonymous.with_token(&answer.expect_status(200).text("/tokens/access_token"));
    let me = owner.get("/v1/me").await;
    assert_eq!(
        (me.text("/user/email"), &me.body["user"]["email_verified"]),
        (new.to_owned(), &json!(true))
    );

    let trail = owner.get("/v1/audit?limit=100").await.body;
    for action in [
        "mfa.disabled",
        "auth.unlocked",
        "auth.logout",
        "auth.email_changed",
    ] {
        let entries = trail["data"].as_array().unwrap();
        let by_operator = |entry: &&serde_json::Value| {
            entry["action"] == action && entry["metadata"]["by"] == "operator"
        };
        let entry = entries.iter().find(by_operator);
        assert_eq!(
            entry.unwrap_or_else(|| panic!("{action} in {trail}"))["actor_type"],
            "system"
        );
    }
    for verb in ["show", "reset-second-factor", "unlock", "sign-out"] {
        let told = refused(&stack, &["account", verb, "nobody@acme.test"]);
        assert!(
            told.contains("no account has this address"),
            "{verb}: {told}"
        );
    }
}

#[tokio::test]
async fn an_operator_renames_hands_over_and_deletes_an_organization() {
    let stack = Stack::start().await;
    let owner = stack.proven("acme").await;
    let told = stack.halyard(&["org", "rename", "acme", "Acme Flags"]);
    assert!(told.ends_with("Acme Flags) is changed\n"), "{told}");
    assert_eq!(
        owner.get("/v1/me").await.text("/organization/name"),
        "Acme Flags"
    );

    let stranger = stack.signup("globex").await;
    let told = refused(&stack, &["org", "set-owner", "acme", &stranger.email]);
    assert!(
        told.contains("no member of the organization has this address"),
        "{told}"
    );
    let invited = json!({"email": stranger.email, "role": "viewer"});
    owner
        .post("/v1/members/invite", invited)
        .await
        .expect_status(201);
    run(&stack, &["org", "set-owner", "acme", &stranger.email]);
    let members = owner.get("/v1/members").await.body;
    let member = members["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["email"] == *stranger.email);
    assert_eq!(member.unwrap()["role"], "owner", "{members}");

    let told = refused(&stack, &["org", "delete", "acme", "--name", "acme"]);
    assert!(
        told.contains("name must be the name of the organization"),
        "{told}"
    );
    owner.get("/v1/me").await.expect_status(200);
    run(&stack, &["org", "delete", "acme", "--name", "Acme Flags"]);
    eventually("nothing of it answers", async || {
        (owner.get("/v1/me").await.status == 401).then_some(())
    })
    .await;
    for command in [
        &["org", "rename", "nothing", "x"][..],
        &["org", "delete", "nothing", "--name", "x"],
    ] {
        let told = refused(&stack, command);
        assert!(
            told.contains("no organization has the id or slug `nothing`"),
            "{told}"
        );
    }
}

#[tokio::test]
async fn an_operator_sees_waiting_mail_and_has_it_sent() {
    let stack = Stack::start_with(&[("SMTP_URL", "smtp://127.0.0.1:9")]).await;
    let owner = stack.signup("acme").await;
    let row = eventually("a mail waits for another attempt", async || {
        let told = stack.halyard(&["mail", "list"]);
        let row = told
            .lines()
            .find(|line| line.contains(&owner.email) && !line.contains(" 0 "));
        row.map(str::to_owned)
    })
    .await;
    // All the more so at each scrape.
    let metrics = stack.admin().get("/metrics").await.body;
    let metrics = metrics.as_str().unwrap();
    assert!(metrics.contains("\nhalyard_mails_waiting 1\n"), "{metrics}");
    let age = metrics
        .lines()
        .find_map(|line| line.strip_prefix("halyard_mail_oldest_seconds "));
    let age: f64 = age.unwrap().parse().unwrap();
    assert!((0.01..600.0).contains(&age), "{age}");

    let id = row.split(' ').next().unwrap();
    assert_eq!(stack.halyard(&["mail", "retry", id]), "1 due now\n");
    let told = refused(
        &stack,
        &["mail", "retry", "019a0000-0000-7000-8000-000000000000"],
    );
    assert!(told.contains("no mail that waits has this id"), "{told}");
}
