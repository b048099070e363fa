//! Filters of lists (RFC 7644, 3.4.2.2): `eq` on a few attributes, joined by `and`. The rest of the standard is refused.
//!
//! The same grammar selects values in paths of PATCH operations (`emails[type eq "work"]`), see [`super::path`].

use uuid::Uuid;

use super::{
    fields::boolean,
    model::folded,
    path::without_urn,
    refused::{ErrorType, Refused, invalid},
};
use base::ids::UserId;

/// Conditions on listed users. Texts are folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub id: Option<UserId>,
    pub user_name: Option<String>,
    pub external_id: Option<String>,
    /// Each must be among the user's addresses.
    pub emails: Vec<String>,
    pub active: Option<bool>,
}

/// One comparison: an attribute, in lower case, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub attribute: String,
    pub value: serde_json::Value,
}

impl Filter {
    pub fn of_user_name(user_name: &str) -> Self {
        Self {
            user_name: Some(folded(user_name)),
            ..Self::default()
        }
    }

    /// Whether it has a selective condition.
    pub const fn names_somebody(&self) -> bool {
        self.id.is_some()
            || self.user_name.is_some()
            || self.external_id.is_some()
            || !self.emails.is_empty()
    }

    /// Parses a filter. `None` if it is contradictory, such as two different names.
    pub fn parse(text: &str) -> Result<Option<Self>, Refused> {
        let mut filter = Self::default();
        let mut possible = true;
        for Term { attribute, value } in terms(text)? {
            possible &= match attribute.as_str() {
                "username" => set(&mut filter.user_name, folded(&text_of(&value)?)),
                "externalid" => set(&mut filter.external_id, folded(&text_of(&value)?)),
                "id" => match Uuid::try_parse(&text_of(&value)?) {
                    Ok(id) => set(&mut filter.id, UserId(id)),
                    Err(_) => false,
                },
                "active" => {
                    let active = boolean("active", &value).map_err(|_| unsupported())?;
                    set(&mut filter.active, active)
                }
                "emails.value" => {
                    filter.emails.push(folded(&text_of(&value)?));
                    true
                }
                _ => return Err(unsupported()),
            };
        }
        Ok(possible.then_some(filter))
    }
}

/// Sets the value; `false` if it contradicts an earlier one.
fn set<T: PartialEq>(place: &mut Option<T>, value: T) -> bool {
    match place {
        Some(there) => *there == value,
        None => {
            *place = Some(value);
            true
        }
    }
}

fn text_of(value: &serde_json::Value) -> Result<String, Refused> {
    value.as_str().map(str::to_owned).ok_or_else(unsupported)
}

pub fn terms(text: &str) -> Result<Vec<Term>, Refused> {
    if text.len() > 2_000 {
        return Err(wrong("the filter is too long"));
    }
    let mut rest = text.trim();
    let mut terms = Vec::new();
    loop {
        let (term, after) = term(rest)?;
        terms.push(term);
        if terms.len() > 20 {
            return Err(wrong("the filter has too many terms"));
        }
        if after.is_empty() {
            return Ok(terms);
        }
        rest = after_word(after, "and").ok_or_else(unsupported)?;
    }
}

/// The first comparison and the rest of the text.
fn term(text: &str) -> Result<(Term, &str), Refused> {
    let (attribute, rest) = text.split_once(' ').ok_or_else(unsupported)?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '_' | '-' | '$');
    if !attribute.chars().all(is_part) {
        return Err(unsupported());
    }
    let rest = after_word(rest.trim_start(), "eq").ok_or_else(unsupported)?;
    let end = end_of_value(rest).ok_or_else(unsupported)?;
    let value = match &rest[..end] {
        word if word.eq_ignore_ascii_case("true") => true.into(),
        word if word.eq_ignore_ascii_case("false") => false.into(),
        quoted => serde_json::from_str(quoted).map_err(|_| unsupported())?,
    };
    let term = Term {
        attribute: without_urn(attribute).to_ascii_lowercase(),
        value,
    };
    let after = &rest[end..];
    if after.is_empty() || after.starts_with(' ') {
        Ok((term, after.trim()))
    } else {
        Err(unsupported())
    }
}

/// The rest after a keyword, which has no case and ends with a space.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (first, rest) = text.split_once(' ')?;
    first.eq_ignore_ascii_case(word).then(|| rest.trim_start())
}

/// The end of the value at the start of the text: a quoted text, or a word.
fn end_of_value(text: &str) -> Option<usize> {
    if !text.starts_with('"') {
        let end = text.find(' ').unwrap_or(text.len());
        return (end > 0).then_some(end);
    }
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn unsupported() -> Refused {
    wrong(
        "filters are made of `eq` on userName, emails.value, externalId, id and active, joined by `and`",
    )
}

fn wrong(words: &'static str) -> Refused {
    invalid(ErrorType::InvalidFilter, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Filter> {
        Filter::parse(text).unwrap_or_else(|refused| panic!("{text}: {refused:?}"))
    }

    #[test]
    fn attributes_operators_and_values_have_no_case() {
        let ada = Filter::of_user_name("ada@x.test");
        for text in [
            r#"userName eq "ada@x.test""#,
            r#" USERNAME  EQ  "Ada@X.test" "#,
            r#"urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada@x.test""#,
            r#"userName eq "\u0061da@x.test""#,
            r#"userName eq "ada@x.test" and userName eq "ADA@x.test""#,
        ] {
            assert_eq!(parse(text).as_ref(), Some(&ada), "{text}");
        }
    }

    #[test]
    fn terms_are_joined() {
        let text = r#"emails.value eq "A@x.test" And externalId eq "a \"and\" b" AND active eq True and emails.value eq "b@x.test""#;
        let expected = Filter {
            external_id: Some("a \"and\" b".to_owned()),
            emails: ["a@x.test", "b@x.test"].map(str::to_owned).to_vec(),
            active: Some(true),
            ..Filter::default()
        };
        assert_eq!(parse(text), Some(expected));
        assert_eq!(parse(r#"active eq "False""#).unwrap().active, Some(false));
    }

    #[test]
    fn nobody_has_two_names_or_an_id_that_is_none() {
        for text in [
            r#"userName eq "a" and userName eq "b""#,
            "active eq true and active eq false",
            r#"id eq "7""#,
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            " ",
            "userName",
            "userName eq",
            "userName eq ",
            r#"userName eq "a"#,
            r#"userName eq a"#,
            "userName eq 'a'",
            "userName eq 5",
            "userName eq null",
            "userName eq true",
            r#"userName eq "a"and active eq true"#,
            r#"userName eq "a" and"#,
            r#"userName eq "a" and "#,
            r#"userName eq "a" or userName eq "b""#,
            r#"not (userName eq "a")"#,
            r#"(userName eq "a")"#,
            r#"userName sw "a""#,
            "userName pr",
            r#"userName ne "a""#,
            r#"active eq "yes""#,
            r#"title eq "a""#,
            r#"emails[type eq "work"].value eq "a""#,
            r#"meta.created eq "2026-01-01T00:00:00Z""#,
            r#"userName eq "a" "b""#,
            r#"userName eq "\x""#,
        ] {
            let refused = Filter::parse(text).expect_err(text);
            assert_eq!(refused.error_type, Some(ErrorType::InvalidFilter), "{text}");
        }
    }

    #[test]
    fn filters_are_bounded() {
        let many = vec![r#"active eq true"#; 20].join(" and ");
        assert!(Filter::parse(&many).is_ok());
        assert!(Filter::parse(&format!("{many} and active eq true")).is_err());
        let long = format!("userName eq \"{}\"", "a".repeat(2_000));
        assert!(Filter::parse(&long).is_err());
    }
}
