//! What both servers say of their endpoints in the API document: the headers of answers, and refusals with their body.

use utoipa::openapi::{
    ContentBuilder, Header, HeaderBuilder, ObjectBuilder, PathItem, Ref, RefOr, Response,
    ResponseBuilder, Type, path::Operation,
};

use crate::body::{JSON, MAX_BODY};

/// The three headers that report a rate.
pub const RATE: [&str; 3] = [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
];
/// When to try again, on 429 and 503.
pub const RETRY_AFTER: &str = "Retry-After";
/// The id of the request.
pub(crate) const REQUEST_ID: &str = "X-Request-Id";
/// The version that is served.
pub const SNAPSHOT_VERSION: &str = "X-Snapshot-Version";
/// The edges that serve a change.
pub const ACKNOWLEDGED: &str = "X-Edges-Acknowledged";
/// The edges that do not serve it yet.
pub const LAGGING: &str = "X-Edges-Lagging";
/// What of a request was not read.
pub const IGNORED_FIELDS: &str = "X-Ignored-Fields";
/// What was accepted, and may not mean what its author thinks.
pub const WARNINGS: &str = "X-Warnings";
/// The tag of an answer.
pub const ETAG: &str = "ETag";
/// Says that the key came in a deprecated way.
pub const DEPRECATION: &str = "Deprecation";
/// Leads to the next part.
pub const LINK: &str = "Link";
/// How to authenticate.
pub const CHALLENGE: &str = "WWW-Authenticate";
/// Where a client is sent on to, or where a thing is.
pub const LOCATION: &str = "Location";
/// Keeps, replaces or clears the session of a page.
pub const SET_COOKIE: &str = "Set-Cookie";
pub const CLEAR_SITE_DATA: &str = "Clear-Site-Data";

/// Each header: its name, its type, an example, and what it says.
const HEADERS: [(&str, Type, &str, &str); 17] = [
    (RATE[0], Type::Integer, "600", "Requests per minute."),
    (
        RATE[1],
        Type::Integer,
        "599",
        "How many of them are left now.",
    ),
    (
        RATE[2],
        Type::Integer,
        "1767225660",
        "When the whole allowance is back, in Unix seconds.",
    ),
    (
        RETRY_AFTER,
        Type::Integer,
        "1",
        "After how many seconds to try again.",
    ),
    (
        REQUEST_ID,
        Type::String,
        "4f1d9bd2-8e0b-4c57-9a43-0d4f0c6c4f0e",
        "The id that the request sent under this name, or a generated one. Give it when you ask for help.",
    ),
    (
        SNAPSHOT_VERSION,
        Type::Integer,
        "42",
        "The version of the snapshot that contains the change, or that was evaluated.",
    ),
    (
        ACKNOWLEDGED,
        Type::String,
        "fra-1,ams-1",
        "With `wait=edges`: the edges that serve the change now, with commas between: the first 50, then `+` and how many others there are.",
    ),
    (
        LAGGING,
        Type::String,
        "nyc-1",
        "With `wait=edges`: the edges that did not confirm the change in time.",
    ),
    (
        IGNORED_FIELDS,
        Type::String,
        "enabld,?limt",
        "Fields of the body and parameters of the query (after a `?`) that nothing reads, with commas between.",
    ),
    (
        WARNINGS,
        Type::String,
        "rules[0].segment_keys[0]: there is no segment beta",
        "What was accepted and may not mean what its author thinks: `<place>: <words>`, parted by `; `.",
    ),
    (
        ETAG,
        Type::String,
        "W/\"9f86d081884c7d65-60303ae22b998861\"",
        "The tag of what is answered. Of what a context is served, send it back as `If-None-Match`; of a thing that you change or delete, as `If-Match`.",
    ),
    (
        DEPRECATION,
        Type::String,
        "true",
        "Present when the key came as `api_key` in the query. Send it as `X-API-Key`.",
    ),
    (
        LINK,
        Type::String,
        "</v1/metrics/evaluations?limit=20000&offset=20000>; rel=\"next\"",
        "Leads to the next part, if there is one.",
    ),
    (CHALLENGE, Type::String, "Bearer", "How to authenticate."),
    (
        LOCATION,
        Type::String,
        "https://app.example.com/",
        "Where to go on, or where the thing is.",
    ),
    (
        SET_COOKIE,
        Type::String,
        "__Host-halyard=...; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000",
        "The session of the page, as the browser keeps it from now on. Cleared with `Max-Age=0`.",
    ),
    (
        CLEAR_SITE_DATA,
        Type::String,
        "\"cache\"",
        "The browser forgets what it kept of this service's answers.",
    ),
];

/// The headers as the document's components, by name.
pub fn headers() -> impl Iterator<Item = (String, RefOr<Header>)> {
    HEADERS.into_iter().map(|(name, kind, example, says)| {
        let example = match kind {
            Type::Integer => serde_json::from_str(example).unwrap_or_default(),
            _ => example.into(),
        };
        let header = HeaderBuilder::new()
            .schema(Some(ObjectBuilder::new().schema_type(kind).build()))
            .description(Some(says))
            .example(Some(example))
            .build();
        (name.to_owned(), RefOr::T(header))
    })
}

/// Says that an answer may carry these headers.
pub fn carries(response: &mut Response, names: &[&str]) {
    for name in names {
        let header = Ref::new(format!("#/components/headers/{name}"));
        let header = RefOr::Ref(header);
        response.headers.entry((*name).to_owned()).or_insert(header);
    }
}

/// The operations of a path.
pub fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem {
        get,
        put,
        post,
        delete,
        patch,
        ..
    } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}

/// The answers of an operation, by status.
pub fn answers(operation: &mut Operation) -> impl Iterator<Item = (&str, &mut Response)> {
    let answers = operation.responses.responses.iter_mut();
    answers.filter_map(|(status, answer)| match answer {
        RefOr::T(answer) => Some((status.as_str(), answer)),
        RefOr::Ref(_) => None,
    })
}

/// Adds a reason to what the operation's own description says of a status, or names the status.
pub fn refuses(operation: &mut Operation, status: u16, reason: &str) {
    let responses = &mut operation.responses.responses;
    match responses.get_mut(&status.to_string()) {
        Some(RefOr::T(named)) if named.description.is_empty() => {
            reason.clone_into(&mut named.description);
        }
        Some(RefOr::T(named)) => named.description = format!("{}; or {reason}", named.description),
        Some(RefOr::Ref(_)) => {}
        None => {
            responses.insert(status.to_string(), response(reason));
        }
    }
}

/// An answer without a body of its own.
pub fn response(description: &str) -> RefOr<Response> {
    ResponseBuilder::new().description(description).into()
}

/// Gives every refusal that has no body yet the one with this schema.
pub fn refuses_with(operation: &mut Operation, media_type: &str, schema: &str) {
    for (status, response) in answers(operation) {
        if status >= "400" && response.content.is_empty() {
            let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema)));
            let body = RefOr::T(body.build());
            response.content.insert(media_type.to_owned(), body);
        }
    }
}

/// Gives every refusal that has no body yet the one that both servers share.
pub fn refuses_in_words(operation: &mut Operation) {
    refuses_with(operation, JSON, "ErrorBody");
}

/// Says what a body that is read whole leads to.
pub fn reads_body(operation: &mut Operation) {
    reads_large_body(operation, MAX_BODY);
}

/// The same of a body of at most `limit` bytes.
pub fn reads_large_body(operation: &mut Operation, limit: usize) {
    let too_large = format!("the body is larger than {} MiB", limit / MAX_BODY);
    refuses(operation, 400, "the body breaks a rule");
    refuses(operation, 408, "the body took too long");
    refuses(operation, 413, &too_large);
    refuses(operation, 415, "the body is not JSON");
}

/// Adds the headers that follow from a status alone.
pub fn carries_by_status(operation: &mut Operation) {
    let is_rated = operation.responses.responses.contains_key("429");
    for (status, response) in answers(operation) {
        match status {
            "429" => {
                carries(response, &[RETRY_AFTER]);
                carries(response, &RATE);
            }
            "503" => carries(response, &[RETRY_AFTER]),
            "304" => carries(response, &RATE),
            success if success.starts_with('2') => {
                carries(response, &[REQUEST_ID]);
                if is_rated {
                    carries(response, &RATE);
                }
            }
            moved if moved.starts_with('3') => carries(response, &[LOCATION]),
            _ => {}
        }
    }
}
