//! What is never logged: the whole log of both servers, with every target at debug, over every way to sign in, and
//! an import.

use harness::mails::in_folder;
use harness::source::CREDENTIAL;
use harness::{Authenticator, Caller, Mail, Response, Source, Stack, eventually};
use regex::Regex;
use reqwest::Method;
use serde_json::{Value, json};
use serving::clock::Clock;
use tempfile::TempDir;
use time::{Duration, OffsetDateTime};

const PASSWORD: &str = "Never-logged-1";
const WRONG_PASSWORD: &str = "Never-logged-either-2";
const NEW_PASSWORD: &str = "Never-logged-as-well-3";

/// One person's way through the service, and every secret that came up on it.
struct Journey {
    stack: Stack,
    mail_folder: TempDir,
    clock: Clock,
    secrets: Vec<String>,
}

impl Journey {
    async fn begin() -> Self {
        let mail_folder = TempDir::new().expect("a folder for mail");
        let smtp_url = format!("dir:{}", mail_folder.path().display());
        let settings = [
            ("LOG_LEVEL", "debug"),
            ("SMTP_URL", smtp_url.as_str()),
            ("MAIL_INTERVAL", "0"),
            ("RATE_MIGRATION", "0"),
        ];
        Self {
            stack: Stack::start_with(&settings).await,
            mail_folder,
            clock: Clock::system(),
            secrets: [PASSWORD, WRONG_PASSWORD, NEW_PASSWORD]
                .map(str::to_owned)
                .to_vec(),
        }
    }

    fn keep(&mut self, secret: impl Into<String>) -> String {
        let secret = secret.into();
        assert!(secret.len() >= 6, "too short to be looked for");
        self.secrets.push(secret.clone());
        secret
    }

    /// Keeps the text at a place of an answer.
    fn keep_from(&mut self, answer: &Response, pointer: &str) -> String {
        self.keep(answer.text(pointer))
    }

    async fn post(&self, path: &str, body: Value) -> Response {
        self.stack.anonymous().post(path, body).await
    }

    /// Keeps the tokens of a sign-in; the caller that it signs in.
    fn signed_in(&mut self, answer: &Response) -> Caller {
        let token = self.keep_from(answer, "/tokens/access_token");
        self.keep_from(answer, "/tokens/refresh_token");
        self.stack.anonymous().with_token(&token)
    }

    async fn mail_to(&self, address: &str, about: &str) -> Mail {
        eventually(&format!("a mail with {about} to {address}"), async || {
            let mails = in_folder(self.mail_folder.path());
            mails
                .into_iter()
                .find(|mail| mail.to == address && mail.text.contains(about))
        })
        .await
    }

    async fn login(&mut self, body: Value, status: u16) -> Response {
        let answer = self.post("/v1/auth/login", body).await;
        answer.expect_status(status);
        answer.clone()
    }

    /// Signs up by a mailed code.
    async fn sign_up(&mut self, email: &str) -> Caller {
        self.keep(email);
        let body =
            json!({"email": email, "password": PASSWORD, "name": "Ada", "org_name": "Engines"});
        let answer = self.post("/v1/auth/initiate-signup", body).await;
        answer.expect_status(200);
        let mail = self.mail_to(email, "code").await;
        let code = self.keep(mail.code());
        let wrong = if code == "000000" { "000001" } else { "000000" };
        for (otp, status) in [(wrong, 400), (code.as_str(), 201)] {
            let body = json!({"email": email, "otp": otp});
            let answer = self.post("/v1/auth/complete-signup", body).await;
            answer.expect_status(status);
            if status == 201 {
                return self.signed_in(&answer);
            }
        }
        unreachable!("the right code completes the sign-up")
    }

    /// Fails and succeeds to sign in, and continues the session.
    async fn sign_in(&mut self, email: &str) {
        let wrong = json!({"email": email, "password": WRONG_PASSWORD});
        self.login(wrong, 401).await;
        let malformed = json!({"email": email, "password": [PASSWORD]});
        self.login(malformed, 400).await;
        let right = json!({"email": email, "password": PASSWORD});
        let answer = self.login(right, 200).await;
        self.signed_in(&answer);
        let body = json!({"refresh_token": answer.text("/tokens/refresh_token")});
        let answer = self.post("/v1/auth/refresh", body).await;
        answer.expect_status(200);
        self.keep_from(&answer, "/access_token");
        self.keep_from(&answer, "/refresh_token");
    }

    /// Enrols a second factor, signs in with it, switches it off.
    async fn second_factor(&mut self, caller: &Caller, email: &str) {
        let answer = caller.act("/v1/auth/mfa/enable", json!({})).await;
        let phone = Authenticator::new(&self.keep_from(&answer, "/secret"));
        for code in answer.body["backup_codes"].as_array().expect("codes") {
            self.keep(code.as_str().expect("a code"));
        }
        let backup_code = answer.text("/backup_codes/0");
        let now: OffsetDateTime = self.clock.now();
        let code = self.keep(phone.code(now));
        caller
            .act("/v1/auth/mfa/verify", json!({"code": code}))
            .await;

        let next = self.keep(phone.code(now + Duration::seconds(30)));
        let wrong = self.keep(phone.wrong_code(now));
        for (code, status) in [(wrong, 401), (next, 200), (backup_code, 200)] {
            let body = json!({"email": email, "password": PASSWORD, "mfa_code": code});
            let answer = self.login(body, status).await;
            if status == 200 {
                self.signed_in(&answer);
            }
        }
        let body = json!({"password": PASSWORD});
        caller.act("/v1/auth/mfa/disable", body).await;
    }

    /// Hands a session over by a one-time token.
    async fn hand_over(&mut self, caller: &Caller) {
        let answer = caller.create("/v1/auth/one-time-token", json!({})).await;
        let token = self.keep_from(&answer, "/token");
        for status in [200, 401] {
            let body = json!({"token": token});
            let answer = self.post("/v1/auth/token-exchange", body).await;
            answer.expect_status(status);
            if status == 200 {
                self.signed_in(&answer);
            }
        }
    }

    /// Registers in one step, and follows the link that proves the address.
    async fn register(&mut self, email: &str) {
        self.keep(email);
        let body =
            json!({"email": email, "password": PASSWORD, "name": "Eve", "org_name": "Other"});
        let answer = self.post("/v1/auth/register", body).await;
        answer.expect_status(201);
        self.signed_in(&answer);
        let mail = self.mail_to(email, "verify-email").await;
        let link = mail.link();
        let (_, query) = link.split_once("token=").expect("a token in the link");
        self.keep(&query[..64]);
        let (_, path) = link.split_once("/v1/").expect("a link to the API");
        let answer = self.stack.anonymous().get(&format!("/v1/{path}")).await;
        answer.expect_status(302);
    }

    /// Sets a new password by a mailed code.
    async fn reset_password(&mut self, email: &str) {
        let body = json!({"email": email});
        let answer = self.post("/v1/auth/forgot-password", body).await;
        answer.expect_status(200);
        let mail = self.mail_to(email, "reset").await;
        let code = self.keep(mail.code());
        let body = json!({"email": email, "otp": code, "new_password": NEW_PASSWORD});
        let answer = self.post("/v1/auth/reset-password", body).await;
        answer.expect_status(200);
        let body = json!({"email": email, "password": NEW_PASSWORD});
        let answer = self.login(body, 200).await;
        self.signed_in(&answer);
    }

    /// Makes an API key, and evaluates with it in every way it can be sent.
    async fn api_keys(&mut self, caller: &Caller, edge: &Caller) {
        let projects = caller.get("/v1/projects").await;
        let project = projects.text("/data/0/id");
        let path = format!("/v1/projects/{project}/environments");
        let env = caller.get(&path).await.text("/data/0/id");
        let path = format!("/v1/environments/{env}/api-keys");
        let made = caller.create(&path, json!({"name": "a key"})).await;
        let key = self.keep_from(&made, "/key");
        for server in [self.stack.anonymous(), edge.clone()] {
            let with_key = server.with_key(&key);
            let body = json!({"flag_key": "none", "context": {"key": "somebody-never-logged"}});
            with_key.act("/v1/evaluate", body).await;
            let path = format!("/v1/client/dev/flags?api_key={key}");
            server.get(&path).await.expect_status(200);
            self.open_ofrep_stream(&with_key).await;
        }
        let path = format!("/v1/api-keys/{}/rotate", made.text("/id"));
        let rotated = caller.post(&path, json!({})).await;
        self.keep_from(&rotated, "/new_key");
        self.keep("somebody-never-logged");
    }
}

impl Journey {
    /// Follows the address in an answer, which is a secret as a whole.
    /// Imports from a source, with a credential that is right and with one that it refuses.
    async fn import(&mut self, caller: &Caller) {
        let source = Source::start(&["dev"]);
        let projects = caller.get("/v1/projects").await;
        let mut body = source.body(&projects.text("/data/0/id"));
        self.keep(CREDENTIAL);
        let started = caller.act("/v1/migration/execute", body.clone()).await;
        let path = format!("/v1/migration/status/{}", started.text("/migration_id"));
        eventually("the import has ended", async || {
            let status = caller.get(&path).await;
            (status.body["status"] == "completed").then_some(())
        })
        .await;
        body["api_key"] = json!(self.keep("Never-logged-credential"));
        let refused = caller.post("/v1/migration/connect", body).await;
        refused.expect_status(400);
    }

    async fn open_ofrep_stream(&mut self, sdk: &Caller) {
        let body = json!({"context": {"targetingKey": "somebody-never-logged"}});
        let answer = sdk.act("/ofrep/v1/evaluate/flags", body).await;
        let url = answer.text("/eventStreams/0/url");
        let (_, credential) = url.split_once('=').expect("a credential");
        self.keep(credential);
        let path = url
            .strip_prefix(sdk.base())
            .expect("the server's own address");
        assert_eq!(
            self.stack
                .anonymous()
                .at(sdk.base())
                .stream(path)
                .await
                .status,
            200
        );
    }
}

#[tokio::test]
async fn the_log_of_a_whole_run_holds_no_secret() {
    let mut journey = Journey::begin().await;
    let edge = journey.stack.edge_with(&[("LOG_LEVEL", "debug")]).await;
    let email = "ada@never-logged.test";
    let caller = journey.sign_up(email).await;
    journey.sign_in(email).await;
    journey.second_factor(&caller, email).await;
    journey.hand_over(&caller).await;
    let at_edge = Caller::new(&edge.url(), Clock::system());
    journey.api_keys(&caller, &at_edge).await;
    journey.import(&caller).await;
    let logout = caller.request(Method::POST, "/v1/auth/logout");
    caller.send(logout).await.expect_status(200);
    caller.get("/v1/projects").await.expect_status(401);
    journey.register("eve@never-logged.test").await;
    journey.reset_password(email).await;

    let logs = [journey.stack.control.log(), edge.process.log()];
    for log in &logs {
        assert!(log.contains("DEBUG"), "nothing to look through: {log}");
    }
    for secret in &journey.secrets {
        for log in &logs {
            let line = log.lines().find(|line| holds(line, secret));
            assert_eq!(line, None, "{secret} was logged");
        }
    }
}

/// Six digits may be part of a longer number, such as the fraction of a second.
fn holds(line: &str, secret: &str) -> bool {
    if secret.bytes().all(|byte| byte.is_ascii_digit()) {
        let alone = Regex::new(&format!(r"\b{secret}\b")).expect("digits are a pattern");
        alone.is_match(line)
    } else {
        line.contains(secret)
    }
}

#[test]
fn a_secret_in_a_line_is_found() {
    for (line, is_found) in [
        ("code=123456", true),
        ("otp: \"123456\"", true),
        ("2026-05-04T12:00:00.123456Z DEBUG", false),
        ("elapsed=0.1234567", false),
    ] {
        assert_eq!(holds(line, "123456"), is_found, "{line}");
    }
    assert!(holds("Bearer a.b.c-", "a.b.c-"));
}
