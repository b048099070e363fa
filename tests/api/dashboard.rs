//! The dashboard's page and files: under which paths, with which headers, and nothing else. What they do is the concern of the tests in
//! `tests/dashboard/`.

use std::io::Read;

use base::config::Page;
use flate2::read::GzDecoder;
use harness::App;
use reqwest::{Client, Method, Response, StatusCode};

const POLICY: &str = "default-src 'none'; script-src 'self'; \
     style-src 'self' 'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='; img-src 'self'; font-src 'self'; connect-src 'self'; \
     manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// What all pages and files are answered with, besides their own headers.
const ALWAYS: [(&str, &str); 8] = [
    ("content-security-policy", POLICY),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("vary", "accept-encoding"),
];

/// A browser that does not decode what it is sent.
struct Browser<'a> {
    app: &'a App,
    http: Client,
}

impl<'a> Browser<'a> {
    fn of(app: &'a App) -> Self {
        let http = Client::builder().no_proxy().build().unwrap();
        Self { app, http }
    }

    async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
        let url = format!("{}{path}", self.app.anonymous().base());
        let request = self.http.request(method, url);
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        });
        request.send().await.unwrap()
    }

    async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, &[]).await
    }

    /// The path of a file that the page names.
    async fn named_by_the_page(&self, suffix: &str) -> String {
        let page = self.get("/login").await.text().await.unwrap();
        let path = page.split('"').find(|text| text.ends_with(suffix));
        path.expect("the page names one").to_owned()
    }
}

fn assert_headers(answer: &Response, path: &str, more: &[(&str, &str)]) {
    for (name, value) in ALWAYS.iter().chain(more) {
        let found = answer.headers().get(*name);
        assert_eq!(found.unwrap(), value, "{name} of {path}");
    }
    assert!(
        answer
            .headers()
            .get("access-control-allow-origin")
            .is_none()
    );
}

async fn assert_refused(answer: Response, status: u16, message: &str) {
    assert_eq!(answer.status(), status, "{}", answer.url());
    let expected = format!(r#"{{"error":"{message}"}}"#);
    assert_eq!(answer.text().await.unwrap(), expected);
}

#[tokio::test]
async fn each_path_of_the_router_answers_with_the_page() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    let page = browser.get("/").await.text().await.unwrap();
    assert!(page.starts_with("<!doctype html>"), "{page}");
    let templates = api::dashboard::templates();
    assert!(templates.len() > 5, "{templates:?}");
    for template in templates {
        let path = template.replace(['{', '}'], "");
        let answer = browser.get(&path).await;
        assert_eq!(answer.status(), 200, "{path}");
        let own = [
            ("content-type", "text/html; charset=utf-8"),
            ("cache-control", "no-cache"),
        ];
        assert_headers(&answer, &path, &own);
        assert_eq!(answer.text().await.unwrap(), page, "{path}");
        let head = browser.send(Method::HEAD, &path, &[]).await;
        let length = head.headers()["content-length"].to_str().unwrap();
        assert_eq!(
            (head.status().as_u16(), length),
            (200, page.len().to_string().as_str())
        );
    }
}

#[tokio::test]
async fn each_page_that_mail_redirects_and_gateways_lead_to_is_there() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    let templates = api::dashboard::templates();
    for page in Page::ALL {
        let path = page.path();
        assert!(templates.iter().any(|it| it == path), "{path}");
        let answer = browser.get(&format!("{path}?status=failed")).await;
        assert_eq!(answer.status(), 200, "{path}");
        let own = [("content-type", "text/html; charset=utf-8")];
        assert_headers(&answer, path, &own);
    }
}

#[tokio::test]
async fn other_paths_and_methods_are_refused_as_everywhere() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    for path in [
        "/index.html",
        "/login/",
        "/nowhere",
        "/p",
        "/p/shop/flags/a/b",
        "/favicon.ico",
        "/assets",
        "/v1/nothing",
    ] {
        assert_refused(browser.get(path).await, 404, "not found").await;
    }
    for path in ["/login", "/p/shop/flags"] {
        let answer = browser.send(Method::POST, path, &[]).await;
        assert_eq!(answer.headers()["allow"], "GET,HEAD");
        assert_refused(answer, 405, "method not allowed").await;
    }
}

/// What Chromium sends for a page.
const FOR_A_PAGE: (&str, &str) = (
    "accept",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
);

#[tokio::test]
async fn a_person_at_an_unknown_path_sees_the_page_that_says_so() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    let page = browser.get("/").await.text().await.unwrap();
    for path in [
        "/nowhere",
        "/p/shop/flags/a/b",
        "/index.html",
        "/favicon.ico",
    ] {
        let answer = browser.send(Method::GET, path, &[FOR_A_PAGE]).await;
        assert_eq!(answer.status(), 404, "{path}");
        let own = [
            ("content-type", "text/html; charset=utf-8"),
            ("cache-control", "no-store"),
        ];
        assert_headers(&answer, path, &own);
        assert!(answer.headers().get("etag").is_none());
        assert_eq!(answer.text().await.unwrap(), page, "{path}");
        let head = browser.send(Method::HEAD, path, &[FOR_A_PAGE]).await;
        assert_eq!(head.status(), 404, "{path}");
        assert!(head.bytes().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_program_at_an_unknown_path_gets_json_whatever_it_accepts() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    for path in [
        "/v1/nothing",
        "/v1",
        "/ofrep/v1/nothing",
        "/docs/nothing",
        "/openapi.json/",
        "/health/",
        "/ready/x",
        "/assets/old/app.js",
    ] {
        let answer = browser.send(Method::GET, path, &[FOR_A_PAGE]).await;
        assert_refused(answer, 404, "not found").await;
    }
    let posted = browser.send(Method::POST, "/nowhere", &[FOR_A_PAGE]).await;
    assert_refused(posted, 404, "not found").await;
    let anything = [("accept", "*/*")];
    let answer = browser.send(Method::GET, "/nowhere", &anything).await;
    assert_refused(answer, 404, "not found").await;
}

#[tokio::test]
async fn slashes_at_the_end_of_a_page_lead_to_it() {
    let app = App::start().await;
    let http = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let browser = Browser { app: &app, http };
    for (path, meant) in [
        ("/login/?next=%2Fteam", "/login?next=%2Fteam"),
        ("/p/shop/flags//", "/p/shop/flags"),
    ] {
        let answer = browser.send(Method::GET, path, &[FOR_A_PAGE]).await;
        assert_eq!(answer.status(), 308, "{path}");
        assert_eq!(answer.headers()["location"], meant);
    }
}

#[tokio::test]
async fn files_are_kept_for_a_year_under_the_digest_of_their_release() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    for (suffix, media_type) in [
        (".js", "text/javascript; charset=utf-8"),
        (".css", "text/css; charset=utf-8"),
    ] {
        let path = browser.named_by_the_page(suffix).await;
        let answer = browser.get(&path).await;
        assert_eq!(answer.status(), 200, "{path}");
        let own = [
            ("content-type", media_type),
            ("cache-control", "public, max-age=31536000, immutable"),
        ];
        assert_headers(&answer, &path, &own);
        assert!(!answer.bytes().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn files_of_another_release_and_unknown_ones_are_not_found() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    let path = browser.named_by_the_page(".js").await;
    let (folder, name) = path.rsplit_once('/').unwrap();
    let other = format!("/assets/{}/{name}", "0".repeat(64));
    for path in [
        other,
        format!("{folder}/nothing.js"),
        format!("{folder}/index.html"),
        format!("{folder}/digest"),
        format!("{folder}/..%2f..%2fCargo.toml"),
    ] {
        assert_refused(browser.get(&path).await, 404, "not found").await;
    }
}

#[tokio::test]
async fn files_are_compressed_as_the_browser_accepts() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    let path = browser.named_by_the_page(".js").await;
    let plain = browser.get(&path).await;
    assert!(plain.headers().get("content-encoding").is_none());
    let plain = plain.bytes().await.unwrap();
    let encoded = async |accepted: &str| {
        let sent = [("accept-encoding", accepted)];
        let answer = browser.send(Method::GET, &path, &sent).await;
        let encoding = answer.headers()["content-encoding"]
            .to_str()
            .unwrap()
            .to_owned();
        assert_headers(&answer, &path, &[]);
        (encoding, answer.bytes().await.unwrap())
    };
    let (encoding, bytes) = encoded("gzip, deflate, br").await;
    let mut decoded = Vec::new();
    GzDecoder::new(&bytes[..])
        .read_to_end(&mut decoded)
        .unwrap();
    assert_eq!((encoding.as_str(), decoded), ("gzip", plain.to_vec()));
    assert!(bytes.len() < plain.len());
    let (encoding, bytes) = encoded("gzip, deflate, br, zstd").await;
    let decoded = zstd::decode_all(&bytes[..]).unwrap();
    assert_eq!((encoding.as_str(), decoded), ("zstd", plain.to_vec()));
}

#[tokio::test]
async fn a_page_that_the_browser_has_is_not_sent_again() {
    let app = App::start().await;
    let browser = Browser::of(&app);
    let first = browser.get("/login").await;
    let etag = first.headers()["etag"].to_str().unwrap().to_owned();
    let again = browser
        .send(Method::GET, "/", &[("if-none-match", &etag)])
        .await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    let own = [("etag", etag.as_str()), ("cache-control", "no-cache")];
    assert_headers(&again, "/", &own);
    assert!(again.bytes().await.unwrap().is_empty());
    // Compressed it is another one.
    let sent = [
        ("if-none-match", etag.as_str()),
        ("accept-encoding", "zstd"),
    ];
    assert_eq!(browser.send(Method::GET, "/", &sent).await.status(), 200);
}

#[tokio::test]
async fn forms_may_be_sent_to_the_gateway_that_takes_them() {
    let app = App::start_with(&[
        (
            "GATEWAY_FORM_URL",
            "https://secure.payments.test:444/_payment?x",
        ),
        ("GATEWAY_FORM_KEY", "key"),
        ("GATEWAY_FORM_SALT", "salt"),
    ])
    .await;
    let answer = Browser::of(&app).get("/login").await;
    let expected = POLICY.replace(
        "form-action 'self'",
        "form-action 'self' https://secure.payments.test:444",
    );
    assert_eq!(answer.headers()["content-security-policy"], expected);
}

#[tokio::test]
async fn without_the_dashboard_its_paths_are_unknown() {
    let app = App::start_with(&[("CONTROL_DASHBOARD", "false")]).await;
    let browser = Browser::of(&app);
    for path in ["/", "/login", "/login/", "/p/shop/flags"] {
        assert_refused(browser.get(path).await, 404, "not found").await;
        let answer = browser.send(Method::GET, path, &[FOR_A_PAGE]).await;
        assert_refused(answer, 404, "not found").await;
    }
}
