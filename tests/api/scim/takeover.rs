//! Nothing that one organization's identity provider says lets it into an account that another organization, or a person, relies
//! on. Each test tries a way in.

use harness::scim::{USERS, user};
use harness::user::PASSWORD;
use harness::{App, IdentityProvider};
use serde_json::{Value, json};

use super::{ADA, Scene, member, operations, path, sign_up};

const EVIL: &str = "evil@example.com";

/// The account's own address, name, and whether it is proven.
async fn account(app: &App, id: &str) -> (Option<String>, String, bool) {
    sqlx::query_as("SELECT email, name, email_verified FROM users WHERE id = $1::uuid")
        .bind(id)
        .fetch_one(app.pool())
        .await
        .expect("an account")
}

/// Everything that a provider can say of a user to give them another address and name.
async fn say_everything(provider: &IdentityProvider, id: &str) {
    let mut whole = user(EVIL);
    whole["name"] = json!({"formatted": "Evil"});
    whole["active"] = json!(true);
    provider.change(&path(id), whole.clone()).await;
    let patch = operations(json!([
        {"op": "replace", "path": "userName", "value": EVIL},
        {"op": "replace", "path": "emails[primary eq true].value", "value": EVIL},
        {"op": "replace", "path": "name.formatted", "value": "Evil"},
    ]));
    provider.patch(&path(id), patch).await.expect_status(200);
    provider.act(USERS, whole).await;
}

/// Tries to get a new password for an address: whether a code was sent.
async fn code_for(app: &App, email: &str) -> bool {
    let count = async || app.mails().await.len();
    let before = count().await;
    let body = json!({"email": email});
    app.anonymous().act("/v1/auth/forgot-password", body).await;
    // The count of codes is written with the mail, after the answer.
    harness::eventually("the code is counted", async || {
        let counted: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT FROM password_resets WHERE email = $1)")
                .bind(email)
                .fetch_one(app.pool())
                .await
                .expect("the test's database");
        counted.then_some(())
    })
    .await;
    count().await > before
}

async fn login(app: &App, email: &str) -> u16 {
    let body = json!({"email": email, "password": PASSWORD});
    app.anonymous().post("/v1/auth/login", body).await.status
}

#[tokio::test]
async fn the_account_of_somebody_elsewhere_keeps_its_address_name_and_sessions() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let victim = app.signup("victim").await;
    let before = account(app, &victim.id).await;
    // Found by address, and by a user name that is the address.
    for body in [user(&victim.email), json!({"userName": victim.email})] {
        let found = provider.post(USERS, body).await;
        assert_eq!(found.text("/id"), victim.id);
        say_everything(provider, &victim.id).await;
        assert_eq!(account(app, &victim.id).await, before);
        victim.get("/v1/projects").await.expect_status(200);
        assert!(!code_for(app, EVIL).await);
        provider
            .set_active(&victim.id, false)
            .await
            .expect_status(200);
        provider.remove(&path(&victim.id)).await;
        assert_eq!(account(app, &victim.id).await, before);
        victim.get("/v1/projects").await.expect_status(200);
        assert_eq!(login(app, &victim.email).await, 200);
    }
}

#[tokio::test]
async fn a_stub_that_another_organization_invited_keeps_its_address() {
    let scene = Scene::set().await;
    let (other, _) = scene.another("other").await;
    let invite = json!({"email": ADA, "role": "owner"});
    other.create("/v1/members/invite", invite).await;
    let id = scene.provider.provision(ADA).await;
    say_everything(&scene.provider, &id).await;
    assert_eq!(account(&scene.app, &id).await.0.as_deref(), Some(ADA));
    assert_eq!(member(&other, ADA).await["role"], "owner");
    // Whoever proves the other address gets an account without anything of this one.
    sign_up(&scene.app, EVIL).await;
    let refused = json!({"email": EVIL, "password": PASSWORD, "org_id": other.org_id});
    let refused = scene.app.anonymous().post("/v1/auth/login", refused).await;
    refused.expect_status(403);
}

#[tokio::test]
async fn an_account_made_here_keeps_its_address_once_another_organization_has_it() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let (other, its_provider) = scene.another("other").await;
    let id = provider.provision(ADA).await;
    assert_eq!(its_provider.provision(ADA).await, id);
    say_everything(provider, &id).await;
    assert_eq!(account(app, &id).await.0.as_deref(), Some(ADA));

    // Neither while the other one has suspended them, nor after it removed them: it could restore whoever has the account then.
    its_provider.set_active(&id, false).await.expect_status(200);
    say_everything(provider, &id).await;
    assert_eq!(account(app, &id).await.0.as_deref(), Some(ADA));
    its_provider.remove(&path(&id)).await;
    say_everything(provider, &id).await;
    assert_eq!(account(app, &id).await.0.as_deref(), Some(ADA));
    its_provider.act(USERS, user(ADA)).await;
    assert_eq!(member(&other, ADA).await["role"], "developer");
}

#[tokio::test]
async fn an_account_made_here_is_a_persons_own_once_it_is_claimed() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    sign_up(app, ADA).await;
    let before = account(app, &id).await;
    assert_eq!(before, (Some(ADA.to_owned()), "Ada".to_owned(), true));
    say_everything(provider, &id).await;
    assert_eq!(account(app, &id).await, before);

    // Also when nothing but this organization is left to them.
    app.execute(
        "DELETE FROM members WHERE user_id = $1::uuid AND org_id <> $2::uuid",
        &[&id, &scene.owner.org_id],
    )
    .await;
    say_everything(provider, &id).await;
    assert_eq!(account(app, &id).await, before);
    assert!(!code_for(app, EVIL).await);
    assert_eq!(login(app, ADA).await, 200);
}

#[tokio::test]
async fn an_unclaimed_account_has_nothing_that_outlives_its_address() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    // No password can be reset, and nobody can sign in.
    assert!(!code_for(app, ADA).await);
    assert_eq!(login(app, ADA).await, 401);
    // Somebody with the old address begins to sign up, and ends after the account has another one.
    let anonymous = app.anonymous();
    let body = json!({"email": ADA, "password": PASSWORD, "name": "Ada", "org_name": "Engines"});
    anonymous.act("/v1/auth/initiate-signup", body).await;
    let otp = app.mail_to(ADA).await.code().to_owned();
    provider.change(&path(&id), user("new@example.com")).await;
    assert_eq!(
        account(app, &id).await,
        (
            Some("new@example.com".to_owned()),
            "new@example.com".to_owned(),
            false
        )
    );
    let body = json!({"email": ADA, "otp": otp});
    let founded = anonymous.create("/v1/auth/complete-signup", body).await;
    assert_ne!(founded.text("/user/id"), id);
    let refused = json!({"email": ADA, "password": PASSWORD, "org_id": scene.owner.org_id});
    anonymous
        .post("/v1/auth/login", refused)
        .await
        .expect_status(403);
}

#[tokio::test]
async fn an_address_that_was_given_up_leads_to_nobody_elses_membership() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let (other, its_provider) = scene.another("other").await;
    // An account with the victim's address, which is moved away before the other organization looks for it.
    let id = provider.provision(ADA).await;
    provider.change(&path(&id), user(EVIL)).await;
    sign_up(app, EVIL).await;
    let real = its_provider.provision(ADA).await;
    assert_ne!(real, id);
    assert_eq!(member(&other, ADA).await["role"], "developer");
    let refused = json!({"email": EVIL, "password": PASSWORD, "org_id": other.org_id});
    app.anonymous()
        .post("/v1/auth/login", refused)
        .await
        .expect_status(403);
}

#[tokio::test]
async fn the_address_of_a_victim_on_a_record_opens_nothing() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let victim = app.signup("victim").await;
    let before = account(app, &victim.id).await;
    let id = provider.provision(EVIL).await;
    let mut body = user(&victim.email);
    body["userName"] = json!("evil");
    provider.change(&path(&id), body).await;
    assert_eq!(account(app, &id).await.0.as_deref(), Some(EVIL));
    provider.set_active(&id, false).await.expect_status(200);
    provider.remove(&path(&id)).await;
    assert_eq!(account(app, &victim.id).await, before);
    victim.get("/v1/projects").await.expect_status(200);
    assert_eq!(scene.member(&victim.email).await, Value::Null);
}

#[tokio::test]
async fn a_record_elsewhere_keeps_an_account_when_an_organization_is_deleted() {
    let scene = Scene::set().await;
    let (other, its_provider) = scene.another("other").await;
    let id = scene.provider.provision(ADA).await;
    assert_eq!(its_provider.provision(ADA).await, id);
    its_provider.set_active(&id, false).await.expect_status(200);
    let mut tx = scene.app.db().begin().await.unwrap();
    let user_id = base::ids::UserId::parse(&id).unwrap();
    let org_id = base::ids::OrgId::parse(&scene.owner.org_id).unwrap();
    let deleted = domain::lifecycle::delete_unless_member_elsewhere(&mut tx, user_id, org_id);
    assert!(!deleted.await.unwrap());
    drop(tx);
    its_provider.set_active(&id, true).await.expect_status(200);
    assert_eq!(member(&other, ADA).await["role"], "developer");
}
