//! In which format SDKs and edges speak to each other.

use axum::http::{HeaderMap, HeaderValue, header};
use protocol::wire::sdk::{FORMAT, MEDIA_TYPE};
use serving::error::ApiError;

/// The media type without its parameter.
fn bare() -> &'static str {
    MEDIA_TYPE
        .split(';')
        .next()
        .unwrap_or(MEDIA_TYPE)
        .trim_end()
}

/// Whether somebody who accepts this reads our format: one that names none reads any.
pub(super) fn check_accepted(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut accepted = headers.get_all(header::ACCEPT).into_iter().peekable();
    let is_any = accepted.peek().is_none();
    let is_read = accepted
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|range| is_ours(range, &["*/*", "application/*", bare()]));
    if is_any || is_read {
        Ok(())
    } else {
        Err(not_served())
    }
}

/// Whether a format that was asked for by its number alone is ours.
pub(super) fn check_asked(format: Option<&str>) -> Result<(), ApiError> {
    match format {
        Some(format) if format.parse() != Ok(FORMAT) => Err(not_served()),
        _ => Ok(()),
    }
}

/// Whether a body is said to be in our format.
pub(super) fn check_sent(headers: &HeaderMap) -> Result<(), ApiError> {
    let given = headers.get(header::CONTENT_TYPE);
    let given = given.and_then(|given: &HeaderValue| given.to_str().ok());
    if given.is_some_and(|given| is_ours(given, &[bare()])) {
        return Ok(());
    }
    let words = format!("content type must be {MEDIA_TYPE}");
    Err(ApiError::unsupported_media_type(words))
}

fn not_served() -> ApiError {
    ApiError::not_acceptable(format!("formats that are served here: {FORMAT}"))
}

/// Whether a media type is one of these, and names no other format.
fn is_ours(media_type: &str, known: &[&str]) -> bool {
    let mut parts = media_type.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    known.iter().any(|known| name.eq_ignore_ascii_case(known))
        && parts
            .filter_map(|part| part.split_once('='))
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("format"))
            .all(|(_, format)| format.trim().trim_matches('"').parse() == Ok(FORMAT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, lines: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name.clone(), HeaderValue::from_static(line));
        }
        headers
    }

    #[test]
    fn whoever_reads_our_format_or_any_gets_it() {
        for lines in [
            &[][..],
            &["*/*"],
            &["application/*;q=0.5"],
            &["application/vnd.halyard.sdk"],
            &["application/vnd.halyard.sdk; format=1"],
            &["application/vnd.halyard.sdk;FORMAT=\"1\""],
            &["application/vnd.halyard.sdk; format=2, Application/vnd.Halyard.sdk; format=1"],
            &["application/json", "*/*; q=0.1"],
        ] {
            let checked = check_accepted(&headers(header::ACCEPT, lines));
            assert!(checked.is_ok(), "{lines:?}");
        }
    }

    #[test]
    fn whoever_reads_only_others_is_told_which_there_are() {
        for lines in [
            &["application/json"][..],
            &["application/vnd.halyard.sdk; format=2"],
            &["application/vnd.halyard.sdk; format=one"],
            &["text/*", "application/vnd.halyard.sdk;format=0;format=1"],
            &[""],
        ] {
            let refusal = check_accepted(&headers(header::ACCEPT, lines)).unwrap_err();
            assert_eq!(refusal.status(), 406, "{lines:?}");
            assert_eq!(refusal.message(), "formats that are served here: 1");
        }
        assert!(check_asked(None).is_ok() && check_asked(Some("1")).is_ok());
        for format in ["2", "", "x", "65537"] {
            assert_eq!(check_asked(Some(format)).unwrap_err().status(), 406);
        }
    }

    #[test]
    fn a_body_says_what_it_is() {
        for (lines, is_ours) in [
            (&["application/vnd.halyard.sdk; format=1"][..], true),
            (&["application/vnd.halyard.sdk"], true),
            (&["application/vnd.halyard.sdk; format=2"], false),
            (&["application/json"], false),
            (&["application/*"], false),
            (&[], false),
        ] {
            let checked = check_sent(&headers(header::CONTENT_TYPE, lines));
            assert_eq!(checked.is_ok(), is_ours, "{lines:?}");
        }
    }
}
