//! Sessions of pages, whose refresh token is in a cookie, and the list of one's own.

mod closing;
mod opening;
mod origins;
mod own;
mod refreshing;
mod switching;

use std::time::Duration;

use harness::{App, Caller, Response, User};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

const SESSION: &str = "/v1/auth/session";
const REFRESH: &str = "/v1/auth/session/refresh";
const LEEWAY: Duration = Duration::from_secs(30);
const CLEARED: &str = "__Host-halyard=; HttpOnly; SameSite=Strict; Secure; Path=/; Max-Age=0";

/// Two owners, of whom one is a viewer in the organization of the other, too.
async fn host_and_guest() -> (App, User, User) {
    let app = App::start().await;
    let (host, guest) = (app.signup("host").await, app.signup("guest").await);
    let body = json!({"email": guest.email, "role": "viewer"});
    host.create("/v1/members/invite", body).await;
    (app, host, guest)
}

/// A request of a page of the service.
fn of_page(caller: &Caller, method: Method, path: &str) -> RequestBuilder {
    caller
        .request(method, path)
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json")
}

/// The same with a cookie.
fn with_cookie(caller: &Caller, method: Method, path: &str, cookie: &str) -> RequestBuilder {
    let cookie = format!("theme=dark; __Host-halyard={cookie}");
    of_page(caller, method, path).header("cookie", cookie)
}

async fn open(app: &App, refresh_token: &str) -> Response {
    let caller = app.anonymous();
    let request = of_page(&caller, Method::POST, SESSION);
    let body = json!({"refresh_token": refresh_token});
    caller.send(request.json(&body)).await
}

async fn refresh(app: &App, cookie: &str) -> Response {
    refresh_with(app, cookie, &json!({})).await
}

async fn refresh_with(app: &App, cookie: &str, body: &Value) -> Response {
    let caller = app.anonymous();
    let request = with_cookie(&caller, Method::POST, REFRESH, cookie);
    caller.send(request.json(body)).await
}

async fn close(app: &App, cookie: &str) -> Response {
    let caller = app.anonymous();
    let request = with_cookie(&caller, Method::DELETE, SESSION, cookie);
    caller.send(request).await
}

/// What a page has after an answer: the value of its cookie, and its access token.
struct Page {
    cookie: String,
    access_token: String,
}

impl Page {
    #[track_caller]
    fn of(answer: &Response) -> Self {
        answer.expect_status(200);
        let set = answer.header("set-cookie");
        let value = set
            .strip_prefix("__Host-halyard=")
            .and_then(|rest| rest.split_once(';'));
        Self {
            cookie: value.expect("a cookie").0.to_owned(),
            access_token: answer.text("/access_token"),
        }
    }

    /// A page of whoever signed in.
    async fn opened(app: &App, user: &User) -> Self {
        Self::of(&open(app, &user.refresh_token).await)
    }

    async fn refreshed(app: &App, cookie: &str) -> Self {
        Self::of(&refresh(app, cookie).await)
    }

    fn caller(&self, app: &App) -> Caller {
        app.anonymous().with_token(&self.access_token)
    }
}

#[track_caller]
fn assert_cleared(answer: &Response) {
    answer.expect_error(401, "invalid or expired token");
    assert_eq!(answer.header("set-cookie"), CLEARED);
}

async fn assert_signed_out(app: &App, access_token: &str) {
    let caller = app.anonymous().with_token(access_token);
    let answer = caller.get("/v1/projects").await;
    answer.expect_error(401, "invalid or expired token");
}

/// How often somebody signed in to an organization and out of it, by its audit trail.
async fn ins_and_outs(app: &App, org_id: &str, user_id: &str) -> (usize, usize) {
    let trail = crate::accounts::audit_trail(app, org_id).await;
    let count = |action| {
        let told = (String::from(action), user_id.to_owned());
        trail.iter().filter(|entry| **entry == told).count()
    };
    (count("auth.login"), count("auth.logout"))
}
