//! Somebody who is signed in to an organization, and the short ways to what most tests begin with.

use std::ops::Deref;

use serde_json::json;
use sqlx::PgConnection;

use crate::{app::App, caller::Caller};

/// The password of every user that tests register.
pub const PASSWORD: &str = "Correct-horse-1";

/// A member of an organization. Calls carry the access token.
#[derive(Clone)]
pub struct User {
    caller: Caller,
    pub email: String,
    pub id: String,
    pub org_id: String,
    pub access_token: String,
    pub refresh_token: String,
}

/// The project every organization begins with.
#[derive(Clone, Debug)]
pub struct DefaultProject {
    pub id: String,
    pub dev: String,
    pub staging: String,
    pub production: String,
}

impl User {
    /// Registers `owner@<name>.test` with an organization of that name.
    pub async fn register(anonymous: &Caller, name: &str) -> Self {
        let email = format!("owner@{name}.test");
        let body = json!({"email": email, "password": PASSWORD, "name": "Owner", "org_name": name});
        let answer = anonymous.post("/v1/auth/register", body).await;
        answer.expect_status(201);
        let org_id = answer.text("/organization/id");
        Self::from_answer(anonymous, &email, org_id, &answer)
    }

    /// Proves the address, as the link that was mailed does.
    pub async fn prove_address(&self, pool: &sqlx::PgPool) {
        sqlx::query("UPDATE users SET email_verified = true WHERE email = $1")
            .bind(&self.email)
            .execute(pool)
            .await
            .expect("an account");
    }

    pub(crate) async fn prove_password(pool: &sqlx::PgPool, email: &str) {
        sqlx::query("UPDATE users SET password_proven = true WHERE email = $1")
            .bind(email)
            .execute(pool)
            .await
            .expect("an account");
    }

    /// Signs in for an organization.
    pub async fn login(anonymous: &Caller, email: &str, org_id: &str) -> Self {
        Self::login_with(anonymous, email, org_id, PASSWORD).await
    }

    /// The same with another password.
    pub async fn login_with(anonymous: &Caller, email: &str, org_id: &str, password: &str) -> Self {
        let body = json!({"email": email, "password": password, "org_id": org_id});
        let answer = anonymous.post("/v1/auth/login", body).await;
        answer.expect_status(200);
        Self::from_answer(anonymous, email, org_id.to_owned(), &answer)
    }

    /// The same user in a session of its own.
    pub async fn sign_in_again(&self) -> Self {
        Self::login(
            &self.caller.without_credentials(),
            &self.email,
            &self.org_id,
        )
        .await
    }

    fn from_answer(
        anonymous: &Caller,
        email: &str,
        org_id: String,
        answer: &crate::caller::Response,
    ) -> Self {
        let access_token = answer.text("/tokens/access_token");
        Self {
            caller: anonymous.with_token(&access_token),
            email: email.to_owned(),
            id: answer.text("/user/id"),
            org_id,
            access_token,
            refresh_token: answer.text("/tokens/refresh_token"),
        }
    }

    /// A new member of this owner's organization, invited through the API and signed in. The stub that the invitation made is not
    /// claimed by a sign-up, which would hash a password, wait for mail and found another organization: its row is given
    /// the owner's password instead.
    ///
    /// # Panics
    /// When the owner may not invite for this role.
    pub async fn member(&self, pool: &sqlx::PgPool, role: &str) -> Self {
        let email = format!("{role}-{}@{}", uuid::Uuid::new_v4().simple(), "member.test");
        let body = json!({"email": email, "role": role});
        self.create("/v1/members/invite", body).await;
        sqlx::query(
            "UPDATE users AS stub
             SET name = $3, password_hash = owner.password_hash, password_proven = true,
                 email_verified = true
             FROM users AS owner
             WHERE stub.email = $1 AND owner.email = $2",
        )
        .bind(&email)
        .bind(&self.email)
        .bind(role)
        .execute(pool)
        .await
        .expect("an account");
        Self::login(&self.caller.without_credentials(), &email, &self.org_id).await
    }

    /// The id of this membership.
    pub async fn member_id(&self) -> String {
        self.member_id_of(&self.email).await
    }

    /// The id of the membership of this address, from the list of members.
    pub async fn member_id_of(&self, email: &str) -> String {
        let members = self.get("/v1/members?limit=100").await;
        let all = members.body["data"].as_array().expect("a list");
        let found = all.iter().find(|member| member["email"] == email);
        let id = found.expect("a member")["id"].as_str();
        id.expect("an id").to_owned()
    }

    /// The project made at sign-up, with the ids of its environments.
    pub async fn default_project(&self) -> DefaultProject {
        let projects = self.get("/v1/projects").await;
        let id = projects.text("/data/0/id");
        let environments = self.get(&format!("/v1/projects/{id}/environments")).await;
        let id_of = |slug: &str| {
            let all = environments.body["data"].as_array().expect("a list");
            let found = all.iter().find(|environment| environment["slug"] == slug);
            found.expect("a default environment")["id"]
                .as_str()
                .expect("an id")
                .to_owned()
        };
        DefaultProject {
            dev: id_of("dev"),
            staging: id_of("staging"),
            production: id_of("production"),
            id,
        }
    }

    /// A new server key of an environment: its text, as an SDK sends it.
    pub async fn api_key(&self, env_id: &str) -> String {
        let path = format!("/v1/environments/{env_id}/api-keys");
        let answer = self
            .post(&path, json!({"name": "test", "type": "server"}))
            .await;
        answer.expect_status(201);
        answer.text("/key")
    }
}

/// A control plane, and the owner and first project of the organization `acme`.
pub struct Setup {
    pub app: App,
    pub owner: User,
    pub project: DefaultProject,
}

impl Setup {
    pub async fn new() -> Self {
        let (app, owner, project) = App::with_project().await;
        Self {
            app,
            owner,
            project,
        }
    }

    /// Locks the project until the transaction ends.
    ///
    /// # Panics
    /// When there is no such project any more.
    pub async fn lock_project(&self, transaction: &mut PgConnection) {
        let statement = "SELECT FROM projects WHERE id = $1::uuid FOR UPDATE";
        let lock = sqlx::query(statement).bind(&self.project.id);
        lock.execute(transaction).await.expect("a project");
    }

    /// The path of the project's flags.
    #[must_use]
    pub fn flags(&self) -> String {
        format!("/v1/projects/{}/flags", self.project.id)
    }

    /// The path of the project's segments.
    #[must_use]
    pub fn segments(&self) -> String {
        format!("/v1/projects/{}/segments", self.project.id)
    }
}

impl App {
    /// A control plane, and the owner of the organization `acme`.
    pub async fn with_owner() -> (Self, User) {
        Self::with_owner_and(&[]).await
    }

    /// The same with settings other than the defaults.
    pub async fn with_owner_and(settings: &[(&str, &str)]) -> (Self, User) {
        let app = Self::start_with(settings).await;
        let owner = app.signup("acme").await;
        (app, owner)
    }

    /// The same as [`Self::with_owner`], and the first project.
    pub async fn with_project() -> (Self, User, DefaultProject) {
        let (app, owner) = Self::with_owner().await;
        let project = owner.default_project().await;
        (app, owner, project)
    }

    /// The same where the owner has proven their address.
    pub async fn with_proven_owner() -> (Self, User) {
        let app = Self::start().await;
        let owner = app.proven("acme").await;
        (app, owner)
    }

    /// Registers an organization and returns its owner.
    pub async fn signup(&self, name: &str) -> User {
        let owner = User::register(&self.anonymous(), name).await;
        self.prove(&owner.email).await;
        owner
    }

    /// Makes the password of an account count as set by a mailed code, without the mail and the hash that this would cost every
    /// test.
    pub async fn prove(&self, email: &str) {
        User::prove_password(self.pool(), email).await;
    }

    /// [`Self::signup`] by somebody who has proven their address.
    pub async fn proven(&self, name: &str) -> User {
        let owner = self.signup(name).await;
        owner.prove_address(self.pool()).await;
        owner
    }

    /// See [`User::member`].
    ///
    /// # Panics
    /// When the owner may not invite for this role.
    pub async fn member(&self, owner: &User, role: &str) -> User {
        owner.member(self.pool(), role).await
    }
}

impl Deref for User {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}
