//! The API document and the page that shows it, as they are served; and that everything in it is served.

use std::collections::BTreeSet;

use harness::{App, documented};
use regex::Regex;
use reqwest::Method;
use serde_json::Value;

/// What edges answer, and what the service says of itself. It stands for itself, like the table of access.
const OUTSIDE_MANAGEMENT: [&str; 19] = [
    "POST /v1/evaluate",
    "POST /v1/evaluate/bulk",
    "GET /v1/client/{envKey}/flags",
    "POST /v1/client/{envKey}/flags",
    "GET /v1/stream/{envKey}",
    "POST /v1/track",
    "POST /v1/defaults",
    "GET /v1/sdk/snapshot",
    "GET /v1/sdk/stream",
    "POST /v1/sdk/usage",
    "GET /.well-known/halyard/signing-keys",
    "POST /ofrep/v1/evaluate/flags/{key}",
    "POST /ofrep/v1/evaluate/flags",
    "GET /ofrep/v1/stream",
    "GET /openapi.json",
    "GET /docs",
    "GET /docs/{file}",
    "GET /health",
    "GET /ready",
];

#[tokio::test]
async fn what_is_served_is_the_document_of_the_whole_service() {
    let app = App::start().await;
    let document = app.anonymous().get("/openapi.json").await;
    document.expect_status(200);
    assert_eq!(&document.body, documented::document());
    assert_eq!(document.header("content-type"), "application/json");
}

#[test]
fn evaluation_and_the_service_itself_are_in_the_document() {
    let all = documented::by_endpoint().into_iter();
    let outside = all.filter(|(_, operation)| operation.is_outside_management());
    let documented: BTreeSet<_> = outside.map(|(name, _)| name).collect();
    let expected: BTreeSet<_> = OUTSIDE_MANAGEMENT.map(str::to_owned).into();
    assert_eq!(documented, expected);
}

#[tokio::test]
async fn everything_in_the_document_is_served() {
    let app = App::start().await;
    let anonymous = app.anonymous();
    let mut missing = Vec::new();
    // The probes belong to the process, and their tests are with it.
    let all = documented::operations().iter();
    let of_routers = all.filter(|one| !["/health", "/ready"].contains(&one.path.as_str()));
    for operation in of_routers {
        let mut path = operation.path.clone();
        let parameters = operation.says["parameters"].as_array();
        for parameter in parameters.into_iter().flatten() {
            if parameter["in"] == "path" {
                let name = format!("{{{}}}", parameter["name"].as_str().unwrap());
                let example = parameter["example"].as_str();
                let example = example.unwrap_or_else(|| panic!("no example of {name}"));
                path = path.replace(&name, example);
            }
        }
        let method = Method::from_bytes(operation.method.as_bytes()).unwrap();
        let answer = anonymous.send(anonymous.request(method, &path)).await;
        let is_unknown = answer.status == 404 && answer.body["error"] == "not found";
        if is_unknown || answer.status == 405 {
            missing.push(format!("{}: {}", operation.name(), answer.status));
        }
    }
    assert!(missing.is_empty(), "not served:\n{}", missing.join("\n"));
}

#[tokio::test]
async fn the_page_and_all_that_it_names_come_from_the_service() {
    let app = App::start().await;
    let anonymous = app.anonymous();
    let page = anonymous.get("/docs").await;
    page.expect_status(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let html = page.body.as_str().unwrap();
    assert!(!html.contains("//"), "an address elsewhere");
    let named = Regex::new(r#"(?:src|href)="([^"]+)""#).unwrap();
    let named: BTreeSet<_> = named
        .captures_iter(html)
        .map(|one| one[1].to_owned())
        .collect();
    assert_eq!(
        named.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "data:,",
            "docs/start.js",
            "docs/swagger-ui-bundle.js",
            "docs/swagger-ui.css",
            "openapi.json"
        ]
    );
    for name in named.iter().filter(|name| !name.starts_with("data:")) {
        let answer = anonymous.get(&format!("/{name}")).await;
        answer.expect_status(200);
        let kind = match name.rsplit('.').next() {
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            _ => "application/json",
        };
        assert_eq!(answer.header("content-type"), kind, "{name}");
        assert!(answer.body != Value::Null, "{name}");
    }
}

#[tokio::test]
async fn the_page_may_load_nothing_from_elsewhere() {
    let app = App::start().await;
    for path in ["/docs", "/docs/start.js", "/docs/swagger-ui.css"] {
        let answer = app.anonymous().get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';"),
            "{policy}"
        );
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        // Of no origin: neither the session nor the storage of the dashboard is in reach.
        assert!(
            policy.ends_with("; sandbox allow-scripts allow-popups"),
            "{policy}"
        );
        assert!(!policy.contains("http"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
    }
}

#[tokio::test]
async fn the_page_keeps_the_conventions_of_all_paths() {
    let app = App::start().await;
    let anonymous = app.anonymous();
    let head = anonymous
        .send(anonymous.request(Method::HEAD, "/docs"))
        .await;
    head.expect(200, Value::Null);
    assert_eq!(head.header("content-type"), "text/html; charset=utf-8");
    let posted = anonymous
        .send(anonymous.request(Method::POST, "/docs"))
        .await;
    posted.expect_error(405, "method not allowed");
    assert_eq!(posted.header("allow"), "GET,HEAD");
}

#[tokio::test]
async fn the_document_may_be_read_by_a_page_of_no_origin() {
    let app = App::start().await;
    let anonymous = app.anonymous();
    let request = anonymous.request(Method::GET, "/openapi.json");
    let answer = anonymous.send(request.header("origin", "null")).await;
    answer.expect_status(200);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let request = anonymous.request(Method::GET, "/v1/me");
    let answer = anonymous.send(request.header("origin", "null")).await;
    assert!(!answer.headers.contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn a_file_that_the_page_does_not_need_is_404() {
    let app = App::start().await;
    for name in [
        "index.html",
        "swagger-initializer.js",
        "..%2Fopenapi.json",
        "start.js.map",
    ] {
        let answer = app.anonymous().get(&format!("/docs/{name}")).await;
        answer.expect_error(404, "not found");
    }
}
