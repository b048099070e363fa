//! Conditional requests by `If-None-Match` (RFC 9110, section 13.1.2).

use axum::http::{HeaderMap, HeaderValue, header::IF_NONE_MATCH};

/// Whether `If-None-Match` contains this tag. Weak and strong tags compare by their text alone.
pub fn names(sent: &HeaderMap, etag: &HeaderValue) -> bool {
    let lists = sent.get_all(IF_NONE_MATCH).iter();
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(etag) = etag.to_str().map(opaque) else {
        return false;
    };
    lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        .any(|tag| tag.trim() == "*" || opaque(tag) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_in_a_list() {
        for (list, is_named) in [
            (r#""a""#, true),
            (r#"W/"a""#, true),
            (r#""b", "a""#, true),
            ("*", true),
            (r#""b""#, false),
            ("a", false),
        ] {
            let sent = [(IF_NONE_MATCH, HeaderValue::from_static(list))];
            let sent: HeaderMap = sent.into_iter().collect();
            for etag in ["\"a\"", "W/\"a\""] {
                let etag = HeaderValue::from_static(etag);
                assert_eq!(names(&sent, &etag), is_named, "{list}");
            }
        }
        assert!(!names(
            &HeaderMap::new(),
            &HeaderValue::from_static("\"a\"")
        ));
    }
}
