//! Signing up, in and out; proving an address; another password.

use std::time::Duration;

use harness::user::PASSWORD;
use harness::{Response, User, eventually};
use serde_json::{Value, json};

use super::{Entry, Refused, States, Step, Walk};

const FOUNDED: [&str; 5] = [
    "auth.registered",
    "project.created",
    "environment.created",
    "environment.created",
    "environment.created",
];

impl Walk {
    /// Signs up in both ways; gives the owner that everything else is done by.
    pub(super) async fn accounts(&mut self) -> User {
        self.sign_up_by_code().await;
        let email = "owner@acme.test";
        let account =
            json!({"email": email, "password": PASSWORD, "name": "Owner", "org_name": "Acme"});
        let (registered, entries) = self
            .public("POST /v1/auth/register", account, 201, &FOUNDED)
            .await;
        let (user, organization) = (&registered.body["user"], &registered.body["organization"]);
        let after = json!({"user": user, "organization": organization});
        assert_eq!(entries[0].after, after);
        let org_id = registered.text("/organization/id");
        assert!(entries.iter().all(|entry| entry.org_id == org_id));

        self.verify_email(email, &org_id).await;
        let login = json!({"email": email, "password": PASSWORD});
        let (answer, _) = self
            .public("POST /v1/auth/login", login, 200, &["auth.login"])
            .await;
        let refresh = json!({"refresh_token": answer.body["tokens"]["refresh_token"]});
        self.public("POST /v1/auth/refresh", refresh, 200, &[])
            .await;

        let owner = User::login(&self.app.anonymous(), email, &org_id).await;
        let endpoint = "POST /v1/auth/one-time-token";
        let issued = ["auth.one_time_token_issued"];
        let (token, _) = self.bodiless(&owner, endpoint, 201, &issued).await;
        let token = json!({"token": token.body["token"]});
        self.public("POST /v1/auth/token-exchange", token, 200, &["auth.login"])
            .await;
        self.sessions(email, &org_id).await;
        self.own_fields(&owner).await;
        owner
    }

    /// One's own name and password, and the organization's name.
    async fn own_fields(&mut self, owner: &User) {
        let weak = json!({"current_password": PASSWORD, "new_password": "weak"});
        let same = json!({"current_password": PASSWORD, "new_password": PASSWORD});
        let (name, none) = (json!({"name": "Ada"}), json!({"name": " "}));
        for (endpoint, body, refused, action) in [
            (
                "PATCH /v1/me",
                name.clone(),
                none.clone(),
                "auth.name_changed",
            ),
            (
                "POST /v1/auth/change-password",
                same,
                weak,
                "auth.password_changed",
            ),
            ("PATCH /v1/organization", name, none, "organization.updated"),
        ] {
            let (_, path) = endpoint.split_once(' ').expect("a method and a path");
            self.step(Step {
                endpoint,
                path: path.to_owned(),
                by: Some(owner),
                body,
                status: 200,
                refused: Some(Refused::Body(refused, 400)),
                writes: &[action],
                states: States::Any,
            })
            .await;
        }
    }

    /// The session of a page, and one that is ended from another.
    async fn sessions(&mut self, email: &str, org_id: &str) {
        let signed_in = User::login(&self.app.anonymous(), email, org_id).await;
        let token = json!({"refresh_token": signed_in.refresh_token});
        let (opened, _) = self.public("POST /v1/auth/session", token, 200, &[]).await;
        self.keep_cookie(&opened);
        let of_page = |endpoint, path: &str, status, writes| Step {
            endpoint,
            path: path.to_owned(),
            by: None,
            body: Value::Null,
            status,
            refused: Some(Refused::Elsewhere),
            writes,
            states: States::Any,
        };
        let refresh = "POST /v1/auth/session/refresh";
        let step = of_page(refresh, "/v1/auth/session/refresh", 200, &[]);
        let (refreshed, _) = self.step(step).await;
        self.keep_cookie(&refreshed);
        let logout = &["auth.logout"];
        let close = "DELETE /v1/auth/session";
        self.step(of_page(close, "/v1/auth/session", 204, logout))
            .await;
        self.cookie = None;

        let (one, other) = (
            User::login(&self.app.anonymous(), email, org_id).await,
            User::login(&self.app.anonymous(), email, org_id).await,
        );
        let sessions = other.get("/v1/auth/sessions").await;
        self.step(Step {
            endpoint: "DELETE /v1/auth/sessions/{sessionID}",
            path: format!("/v1/auth/sessions/{}", sessions.text("/data/0/id")),
            by: Some(&one),
            body: Value::Null,
            status: 204,
            refused: None,
            writes: logout,
            states: States::Any,
        })
        .await;
    }

    fn keep_cookie(&mut self, answer: &Response) {
        let set = answer.header("set-cookie");
        let (cookie, _) = set.split_once(';').expect("attributes");
        let (_, token) = cookie.split_once('=').expect("a value");
        self.secrets.insert(token.to_owned());
        self.cookie = Some(cookie.to_owned());
    }

    async fn sign_up_by_code(&mut self) {
        let email = "ada@example.test";
        let account =
            json!({"email": email, "password": PASSWORD, "name": "Ada", "org_name": "Engines"});
        self.public("POST /v1/auth/initiate-signup", account, 200, &[])
            .await;
        self.app.clock.advance(Duration::from_secs(60));
        let again = json!({"email": email});
        self.public("POST /v1/auth/resend-signup-otp", again, 200, &[])
            .await;
        let otp = self.app.mail_to(email).await.code().to_owned();
        let proof = json!({"email": email, "otp": otp});
        self.public("POST /v1/auth/complete-signup", proof, 201, &FOUNDED)
            .await;
    }

    async fn verify_email(&mut self, email: &str, org_id: &str) {
        self.app.clock.advance(Duration::from_secs(60));
        let user = User::login(&self.app.anonymous(), email, org_id).await;
        self.bodiless(&user, "POST /v1/auth/send-verification-email", 200, &[])
            .await;
        let link = self.app.mail_to(email).await.link().to_owned();
        let (_, query) = link.split_once('?').expect("a query");
        let token = query.split(['=', '&']).nth(1).expect("a token");
        self.secrets.insert(token.to_owned());
        let (_, entries) = self
            .step(Step {
                endpoint: "GET /v1/auth/verify-email",
                path: format!("/v1/auth/verify-email?{query}"),
                by: None,
                body: Value::Null,
                status: 302,
                refused: Some(Refused::Path(
                    "/v1/auth/verify-email?token=x&email=a%40b.test".to_owned(),
                    400,
                )),
                writes: &["auth.email_verified"],
                states: States::Any,
            })
            .await;
        let states = (&entries[0].before, &entries[0].after);
        let expected = (
            &json!({"email_verified": false}),
            &json!({"email_verified": true}),
        );
        assert_eq!(states, expected);
    }

    /// What ends sessions comes last.
    pub(super) async fn ending(&mut self, owner: &User) {
        self.bodiless(owner, "POST /v1/auth/logout", 200, &["auth.logout"])
            .await;
        let email = json!({"email": owner.email});
        self.public("POST /v1/auth/forgot-password", email, 200, &[])
            .await;
        // It is sent after the answer.
        let otp = eventually("a reset code was sent", async || {
            let mail = self.app.mail_to(&owner.email).await;
            let is_reset = mail.subject == "Your Halyard password reset code";
            is_reset.then(|| mail.code().to_owned())
        })
        .await;
        let reset = json!({"email": owner.email, "otp": otp, "new_password": "Another-horse-2"});
        self.public(
            "POST /v1/auth/reset-password",
            reset,
            200,
            &["auth.password_reset"],
        )
        .await;
        self.deletion().await;
    }

    /// The organization of the stranger, as nobody else's are left to look at. What removes it fails, so that its log can be read.
    async fn deletion(&mut self) {
        sqlx::raw_sql(
            "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'kept'; END $$;
             CREATE TRIGGER keep BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION keep();
             CREATE TRIGGER keep BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION keep()",
        )
        .execute(self.app.pool())
        .await
        .unwrap();
        let stranger = self.stranger.clone();
        let step = Step {
            endpoint: "DELETE /v1/organization",
            path: "/v1/organization".to_owned(),
            by: Some(&stranger),
            body: json!({"name": "stranger", "password": PASSWORD}),
            status: 202,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &["organization.deleted"],
            states: States::Any,
        };
        self.step(step).await;
    }

    /// A step that asks for no token; `{}` is refused.
    async fn public(
        &mut self,
        endpoint: &'static str,
        body: Value,
        status: u16,
        writes: &[&str],
    ) -> (Response, Vec<Entry>) {
        let step = Step {
            endpoint,
            path: endpoint.trim_start_matches("POST ").to_owned(),
            by: None,
            body,
            status,
            refused: Some(Refused::Body(json!({}), 400)),
            writes,
            states: States::Any,
        };
        self.step(step).await
    }

    /// A step of somebody signed in, without a body.
    pub(super) async fn bodiless(
        &mut self,
        user: &User,
        endpoint: &'static str,
        status: u16,
        writes: &[&str],
    ) -> (Response, Vec<Entry>) {
        let step = Step {
            endpoint,
            path: endpoint.trim_start_matches("POST ").to_owned(),
            by: Some(user),
            body: Value::Null,
            status,
            refused: None,
            writes,
            states: States::Any,
        };
        self.step(step).await
    }
}
