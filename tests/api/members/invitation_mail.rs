//! What an invitation tells its reader to type, typed into a shell.

use std::process::Command;

use harness::{App, Mail, User, eventually};
use serde_json::{Value, json};

use super::{ADDRESS, invite};

/// Where the mail says that the API is.
const API: &str = "https://flags.example.com";

/// The commands of a mail, in their order.
fn commands(mail: &Mail) -> Vec<String> {
    let text = mail.text.replace("\r\n", "\n");
    let parts = text.split("\n\n");
    let commands = parts.filter(|part| part.starts_with("curl "));
    commands.map(str::to_owned).collect()
}

/// Types a command, for an API that is somewhere else, with what the reader fills in; gives the answer.
async fn typed(app: &App, command: &str, filled: &[(&str, &str)]) -> Value {
    let mut command = command.replace(API, &app.url);
    for (gap, text) in filled {
        command = command.replace(gap, text);
    }
    // The API answers meanwhile, in this process.
    let output = tokio::task::spawn_blocking(move || {
        let shell = Command::new("sh").args(["-c", &command]).output();
        shell.expect("there is a shell")
    });
    let output = output.await.unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("the API answers JSON")
}

async fn app() -> App {
    let settings = [("APP_BASE_URL", API), ("CONTROL_DASHBOARD", "false")];
    App::start_with(&settings).await
}

/// The organization that the token of an answer acts for.
async fn org_of(app: &App, answer: &Value) -> String {
    let token = answer["tokens"]["access_token"].as_str();
    let caller = app.anonymous().with_token(token.expect("a token"));
    caller.get("/v1/me").await.text("/organization/id")
}

const FILLED: [(&str, &str); 2] = [
    ("YOUR NAME", "Ada Lovelace"),
    ("YOUR PASSWORD", "Correct-horse-1"),
];

async fn signs_up_by_mail(app: &App, owner: &User, address: &str) {
    let mail = app.mail_to(address).await;
    let commands = commands(&mail);
    let [initiate, complete, login] = &commands[..] else {
        panic!("{}", mail.text);
    };
    let sent = typed(app, initiate, &FILLED).await;
    assert_eq!(sent["expires_in"], 600, "{sent}");
    let code = app.mail_to(address).await.code().to_owned();
    let completed = typed(app, complete, &[("THE CODE", &code)]).await;
    assert_eq!(completed["organization"]["id"], json!(owner.org_id));
    assert_eq!(org_of(app, &completed).await, owner.org_id);
    let signed_in = typed(app, login, &FILLED).await;
    assert_eq!(signed_in["user"]["email"], json!(address));
    assert_eq!(org_of(app, &signed_in).await, owner.org_id);
}

#[tokio::test]
async fn an_unknown_address_is_mailed_commands_that_sign_it_up() {
    let app = app().await;
    let owner = app.signup("acme").await;
    invite(&owner, ADDRESS, "viewer").await.expect_status(201);
    signs_up_by_mail(&app, &owner, ADDRESS).await;
}

/// What a shell would take for its own stands in the commands as text.
#[tokio::test]
async fn an_address_with_a_quote_in_it_is_typed_as_it_is() {
    let app = app().await;
    let owner = app.signup("acme").await;
    let address = "o'neil+$home`x`@example.com";
    invite(&owner, address, "viewer").await.expect_status(201);
    signs_up_by_mail(&app, &owner, address).await;
}

#[tokio::test]
async fn an_address_with_an_account_is_mailed_the_command_that_signs_it_in() {
    let app = app().await;
    let owner = app.signup("acme").await;
    let guest = app.signup("globex").await;
    invite(&owner, &guest.email, "viewer")
        .await
        .expect_status(201);
    let mail = app.mail_to(&guest.email).await;
    assert!(mail.text.contains("You have an account."), "{}", mail.text);
    let commands = commands(&mail);
    assert_eq!(commands.len(), 1, "{}", mail.text);
    let signed_in = typed(&app, &commands[0], &FILLED).await;
    assert_eq!(org_of(&app, &signed_in).await, owner.org_id);
}

#[tokio::test]
async fn an_address_whose_password_nobody_has_proven_is_mailed_how_to_prove_one() {
    let app = app().await;
    let owner = app.signup("acme").await;
    let guest = User::register(&app.anonymous(), "globex").await;
    invite(&owner, &guest.email, "viewer")
        .await
        .expect_status(201);
    let mail = app.mail_to(&guest.email).await;
    let commands = commands(&mail);
    let [forgot, reset, login] = &commands[..] else {
        panic!("{}", mail.text);
    };
    typed(&app, forgot, &FILLED).await;
    let code = eventually("a code was sent", async || {
        let mail = app.mail_to(&guest.email).await;
        (mail.subject == "Your Halyard password reset code").then(|| mail.code().to_owned())
    });
    let code = code.await;
    let theirs = ("YOUR PASSWORD", "Battery-staple-2");
    let done = typed(&app, reset, &[("THE CODE", &code), theirs]).await;
    assert_eq!(done["message"], "password reset");
    let signed_in = typed(&app, login, &[theirs]).await;
    assert_eq!(org_of(&app, &signed_in).await, owner.org_id);
}

#[tokio::test]
async fn where_sign_up_is_closed_the_mail_leads_to_whoever_operates_it() {
    let app = app().await;
    let owner = app.signup("acme").await;
    let closed = app.another_replica_with(&[("SIGNUP", "closed")]).await;
    let body = json!({"email": ADDRESS, "role": "viewer"});
    let invited = owner.at(&closed).post("/v1/members/invite", body).await;
    invited.expect_status(201);
    let mail = app.mail_to(ADDRESS).await;
    assert!(mail.text.contains("Ask the operator"), "{}", mail.text);
    let commands = commands(&mail);
    assert_eq!(commands.len(), 1, "{}", mail.text);
    assert!(commands[0].contains("/v1/auth/login"), "{}", commands[0]);
}

#[tokio::test]
async fn with_a_dashboard_the_mail_says_who_invites_and_has_one_link() {
    let app = App::start_with(&[("APP_BASE_URL", API)]).await;
    let owner = app.signup("acme").await;
    let guest = User::register(&app.anonymous(), "globex").await;
    for (address, link) in [
        (ADDRESS, "signup?email=ada%40example.com&invited=1"),
        (&guest.email, "forgot-password"),
    ] {
        invite(&owner, address, "viewer").await.expect_status(201);
        let mail = app.mail_to(address).await;
        let first = "Owner invited you to acme on Halyard, as viewer.";
        assert!(mail.text.starts_with(first), "{}", mail.text);
        assert!(commands(&mail).is_empty(), "{}", mail.text);
        assert_eq!(mail.link(), format!("{API}/{link}"));
    }
}
