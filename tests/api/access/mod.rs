//! The access table (`harness::access`), proved row by row: who is refused, with what, and in which order.

mod caches;
mod documents;
mod permissions;
mod plans;
mod projects;
mod refusals;
mod scim;
pub(crate) mod things;
mod tokens;

use harness::access::Row;
use harness::{Caller, Response};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

/// Calls a row at `path` with a body that is JSON, and no more.
async fn call(caller: &Caller, row: &Row, path: &str, body: &'static str) -> u16 {
    if row.streams {
        return caller.stream(path).await.status;
    }
    ask(caller, row, path, body).await.status
}

/// The same with the whole answer, of a row that does not stream or refuses.
async fn ask(caller: &Caller, row: &Row, path: &str, body: &'static str) -> Response {
    let request = caller.request(row.method.clone(), path);
    let mut request = request.header(CONTENT_TYPE, "application/json").body(body);
    if row.of_page {
        request = request.header("sec-fetch-site", "same-origin");
    }
    caller.send(request).await
}

/// Of a thing that a path names and that is not there for the caller.
fn not_found(row: &Row) -> &'static str {
    let of = |parameter: &str| row.path.contains(parameter);
    match () {
        () if of("{flagKey}") => "flag not found",
        () if of("{segmentKey}") => "segment not found",
        () if of("{envID}") => "environment not found",
        () if of("{repositoryID}") => "repository not found",
        () if of("{changeSetID}") => "change set not found",
        () if of("{grantID}") => "grant not found",
        () if of("{projectID}") => "project not found",
        () if of("{keyID}") => "api key not found",
        () if of("{approvalID}") => "approval request not found",
        () if of("{memberID}") => "member not found",
        () if of("{roleID}") => "role not found",
        () if of("{webhookID}") => "webhook not found",
        () if of("{sessionID}") => "session not found",
        () if of("{edgeName}") => "edge not found",
        () if of("{providerID}") => "sign-in provider not found",
        () if of("{domainID}") => "domain not found",
        () if of("{tokenID}") => "SCIM token not found",
        () if of("{serviceAccountID}") => "service account not found",
        () if of("{accessTokenID}") => "access token not found",
        () => "migration not found",
    }
}

/// Whether somebody got past everything that depends on who they are. What comes then is the tests' of each domain; a deletion
/// may find that another took its thing along.
fn is_admitted(status: u16) -> bool {
    matches!(status, 200 | 201 | 202 | 204 | 400 | 404 | 409)
}

/// Those that end what the others need come after them, and signing out last of all.
fn in_order(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|row| (row.path.ends_with("logout"), row.method == Method::DELETE));
    rows
}

/// What was not as the table says.
#[derive(Default)]
struct Complaints(Vec<String>);

impl Complaints {
    fn check(&mut self, is_right: bool, row: &Row, what: &str, status: u16) {
        if !is_right {
            self.0.push(format!("{what} {}: {status}", row.name()));
        }
    }

    fn expect_error(&mut self, answer: &Response, row: &Row, what: &str, refusal: (u16, &str)) {
        let (status, message) = refusal;
        if answer.status != status || answer.body != json!({"error": message}) {
            let (name, got, body) = (row.name(), answer.status, &answer.body);
            let complaint = format!("{what} {name}: {got} {body} instead of {status} {message}");
            self.0.push(complaint);
        }
    }
}

impl Drop for Complaints {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "\n{}\n", self.0.join("\n"));
        }
    }
}
