//! Whose pages may use the cookie: ours alone.

use harness::{App, Response, User};
use reqwest::{Method, RequestBuilder};
use serde_json::json;

use super::{Page, REFRESH, SESSION};

const OWN: &str = "https://halyard.acme.test";
const LISTED: &str = "https://tools.acme.test";
const FOREIGN: &str =
    "only pages of this service may ask for this: the request must be of the same origin";
const NO_JSON: &str =
    "only pages of this service may ask for this: the content type must be application/json";

struct Setup {
    app: App,
    owner: User,
    page: Page,
}

impl Setup {
    async fn new() -> Self {
        let settings = [
            ("APP_BASE_URL", "https://halyard.acme.test/"),
            ("CORS_ORIGIN", LISTED),
        ];
        let (app, owner) = App::with_owner_and(&settings).await;
        let page = Page::opened(&app, &owner).await;
        let owner = owner.sign_in_again().await;
        Self { app, owner, page }
    }

    /// Calls each of the three endpoints with a good token.
    async fn call_all(&self, with: impl Fn(RequestBuilder) -> RequestBuilder) -> Vec<Response> {
        let caller = self.app.anonymous();
        let mut answers = Vec::new();
        for (method, path) in [
            (Method::POST, SESSION),
            (Method::POST, REFRESH),
            (Method::DELETE, SESSION),
        ] {
            let cookie = format!("__Host-halyard={}", self.page.cookie);
            let request = caller.request(method, path).header("cookie", cookie);
            let body = json!({"refresh_token": self.owner.refresh_token}).to_string();
            answers.push(caller.send(with(request).body(body)).await);
        }
        answers
    }

    /// Nothing was used, cleared or ended.
    async fn assert_untouched(&self, refused: &[Response]) {
        for answer in refused {
            assert!(!answer.headers.contains_key("set-cookie"));
        }
        let projects = self.page.caller(&self.app).get("/v1/projects").await;
        projects.expect_status(200);
        self.owner.get("/v1/projects").await.expect_status(200);
    }
}

#[tokio::test]
async fn a_request_of_another_site_is_403_and_changes_nothing() {
    let setup = Setup::new().await;
    for site in ["cross-site", "same-site", "none", "nonsense"] {
        // Not even with our origin: the browser knows better.
        let refused = setup.call_all(|request| {
            request
                .header("sec-fetch-site", site)
                .header("origin", OWN)
                .header("content-type", "application/json")
        });
        let refused = refused.await;
        for answer in &refused {
            answer.expect_error(403, FOREIGN);
        }
        setup.assert_untouched(&refused).await;
    }
}

#[tokio::test]
async fn without_sec_fetch_site_another_origin_or_none_is_403_and_changes_nothing() {
    let setup = Setup::new().await;
    for origin in [
        None,
        Some("null"),
        Some("http://halyard.acme.test"),
        Some("https://halyard.acme.test:8443"),
        Some("https://evil.test"),
        Some(LISTED),
    ] {
        let refused = setup.call_all(|request| {
            let request = request.header("content-type", "application/json");
            match origin {
                Some(origin) => request.header("origin", origin),
                None => request,
            }
        });
        let refused = refused.await;
        for answer in &refused {
            answer.expect_error(403, FOREIGN);
        }
        setup.assert_untouched(&refused).await;
    }
}

#[tokio::test]
async fn a_content_type_other_than_json_is_403_and_changes_nothing() {
    let setup = Setup::new().await;
    for content_type in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
    ] {
        let refused = setup.call_all(|request| {
            let request = request.header("sec-fetch-site", "same-origin");
            match content_type {
                Some(content_type) => request.header("content-type", content_type),
                None => request,
            }
        });
        let refused = refused.await;
        for answer in &refused {
            answer.expect_error(403, NO_JSON);
        }
        setup.assert_untouched(&refused).await;
    }
}

#[tokio::test]
async fn where_the_request_comes_from_is_looked_at_first() {
    let app = App::start_with(&[("RATE_SIGN_IN", "1")]).await;
    let caller = app.anonymous();
    for _ in 0..3 {
        let request = caller.request(Method::POST, SESSION).body("{");
        caller.send(request).await.expect_error(403, FOREIGN);
    }
}

#[tokio::test]
async fn our_own_origin_is_that_of_the_base_url() {
    let setup = Setup::new().await;
    let answers = setup.call_all(|request| {
        request
            .header("origin", OWN)
            .header("content-type", "application/json; charset=utf-8")
    });
    let statuses: Vec<_> = answers.await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 204]);
}

#[tokio::test]
async fn no_other_origin_is_told_that_it_may_use_the_cookie() {
    let setup = Setup::new().await;
    let caller = setup.app.anonymous();
    for (path, allow) in [(SESSION, "POST,DELETE"), (REFRESH, "POST")] {
        let preflight = caller
            .request(Method::OPTIONS, path)
            .header("origin", LISTED)
            .header("access-control-request-method", "POST");
        let refused = caller.send(preflight).await;
        refused.expect_error(405, "method not allowed");
        assert_eq!(refused.header("allow"), allow);
        assert_silent(&refused);
    }
    let answers = setup.call_all(|request| {
        request
            .header("sec-fetch-site", "same-origin")
            .header("origin", LISTED)
            .header("content-type", "application/json")
    });
    answers.await.iter().for_each(assert_silent);
    // The list of sessions takes a token, and is like the rest.
    let listed = caller
        .request(Method::GET, "/v1/auth/sessions")
        .header("origin", LISTED);
    let answer = caller.send(listed).await;
    assert_eq!(answer.header("access-control-allow-origin"), LISTED);
}

#[track_caller]
fn assert_silent(answer: &Response) {
    let mut names = answer.headers.keys().map(|name| name.as_str());
    assert_eq!(names.find(|name| name.starts_with("access-control-")), None);
}
