//! The cookie with the refresh token of a page. Because of its prefix, browsers accept it only if it is `Secure`, for this host
//! alone and for every path, so that neighbouring hosts cannot set it.

use std::time::Duration;

use axum::http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{COOKIE, SET_COOKIE},
};
use cookie::{Cookie, SameSite};

pub(crate) const NAME: &str = "__Host-halyard";

/// The refresh token that a browser sent; `None` without the cookie.
pub(super) fn read(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(COOKIE).iter();
    let mut cookies = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok);
    let found = cookies.find(|cookie| cookie.name() == NAME);
    found.map(|cookie| cookie.value().to_owned())
}

/// Sets the cookie for this time.
pub(super) fn keep(token: &str, ttl: Duration) -> (HeaderName, HeaderValue) {
    let seconds = i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX);
    let cookie = Cookie::build((NAME, token))
        .path("/")
        .secure(true)
        .http_only(true)
        .same_site(SameSite::Strict)
        .max_age(time::Duration::seconds(seconds));
    let text = cookie.to_string();
    let text = HeaderValue::try_from(text).expect("a token is printable ASCII");
    (SET_COOKIE, text)
}

/// Deletes the cookie.
pub(super) fn clear() -> (HeaderName, HeaderValue) {
    keep("", Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        assert_eq!(read(&headers), None);
        for line in [
            "theme=dark",
            "halyard=a; __Host-halyard=b.c-d_e; x",
            "__Host-halyard=late",
        ] {
            headers.append(COOKIE, HeaderValue::from_static(line));
        }
        headers.append(
            COOKIE,
            HeaderValue::from_bytes(b"\xff=1").expect("a header"),
        );
        assert_eq!(read(&headers).as_deref(), Some("b.c-d_e"));
    }
}
