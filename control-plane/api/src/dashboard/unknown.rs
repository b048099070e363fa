//! Requests for paths that nothing serves.

use axum::{
    http::{
        HeaderMap, HeaderValue, Method, StatusCode, Uri,
        header::{ACCEPT, CACHE_CONTROL, LOCATION},
    },
    response::{IntoResponse, Response},
};
use serving::layers::NO_STORE;

/// Everything below these belongs to programs.
const OF_PROGRAMS: [&str; 7] = [
    "/v1",
    "/ofrep",
    "/docs",
    "/openapi.json",
    "/health",
    "/ready",
    "/assets",
];

/// What an unknown path was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unknown<'a> {
    /// By a program, or with a method that no page has.
    Call,
    /// By a browser that shows the answer.
    Page(Address<'a>),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address<'a> {
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Unknown<'a> {
    pub(super) fn of(method: &Method, uri: &'a Uri, headers: &HeaderMap) -> Self {
        let path = uri.path();
        let is_read = method == Method::GET || method == Method::HEAD;
        let is_of_programs = OF_PROGRAMS.iter().any(|root| is_below(path, root));
        if !is_read || is_of_programs || !wants_html(headers) {
            return Self::Call;
        }
        let query = uri.query();
        Self::Page(Address { path, query })
    }
}

impl Address<'_> {
    /// The address of the page that was meant, where only slashes at the end are too many.
    pub(super) fn without_slashes(&self, templates: &[String]) -> Option<String> {
        let path = self.path.trim_end_matches('/');
        let is_page = path != self.path && templates.iter().any(|one| matches(one, path));
        is_page.then(|| match self.query {
            Some(query) => format!("{path}?{query}"),
            None => path.to_owned(),
        })
    }
}

pub(super) fn moved(to: &str) -> Response {
    let Ok(to) = HeaderValue::try_from(to) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [(LOCATION, to), (CACHE_CONTROL, NO_STORE)];
    (StatusCode::PERMANENT_REDIRECT, headers).into_response()
}

fn is_below(path: &str, root: &str) -> bool {
    let rest = path.strip_prefix(root);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether HTML is named, as browsers do for what they show. Programs that take anything get JSON.
fn wants_html(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(|range| range.split(';').next())
        .any(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}

/// Whether a path is one of a template, whose parameters are whole segments that are not empty.
fn matches(template: &str, path: &str) -> bool {
    let (mut expected, mut found) = (template.split('/'), path.split('/'));
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return true,
            (Some(segment), Some(text)) if segment.starts_with('{') => {
                if text.is_empty() {
                    return false;
                }
            }
            (Some(segment), Some(text)) if segment == text => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(path: &str) -> Option<String> {
        let templates = ["/", "/login", "/p/{project}/flags"].map(str::to_owned);
        let uri: Uri = path.parse().unwrap();
        let mut headers = HeaderMap::new();
        let browser = HeaderValue::from_static("text/html,application/xhtml+xml,*/*;q=0.8");
        headers.insert(ACCEPT, browser);
        match Unknown::of(&Method::GET, &uri, &headers) {
            Unknown::Page(address) => address.without_slashes(&templates),
            Unknown::Call => panic!("{path} is no page"),
        }
    }

    #[test]
    fn slashes_at_the_end_lead_to_the_page() {
        assert_eq!(meant("/login/").as_deref(), Some("/login"));
        assert_eq!(
            meant("/login///?next=/a/").as_deref(),
            Some("/login?next=/a/")
        );
        assert_eq!(meant("/p/shop/flags/").as_deref(), Some("/p/shop/flags"));
    }

    #[test]
    fn nothing_leads_to_another_origin_or_to_no_page() {
        for path in [
            "//evil.test/",
            "//login/",
            "/p//flags/",
            "/nowhere/",
            "/p/shop/",
            "//",
        ] {
            assert_eq!(meant(path), None, "{path}");
        }
    }
}
