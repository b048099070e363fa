//! Paths of attributes (RFC 7644, 3.5.2): `userName`, `name.givenName`, `emails[type eq "work"].value`, optionally prefixed
//! with the URN of the schema. Names have no case.

use super::{
    fields::boolean,
    filter::{Term, terms},
    model::{EmailAddress, folded},
    refused::{ErrorType, Refused, invalid},
    schemas::USER,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Active,
    UserName,
    ExternalId,
    Name,
    NamePart(NamePart),
    Emails,
    /// The matching addresses, or one part of each.
    Selected(Selection, Option<EmailPart>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamePart {
    Formatted,
    Given,
    Family,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailPart {
    Value,
    Type,
    Primary,
}

/// Conditions on e-mail addresses. Texts are folded; `None` matches any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub value: Option<String>,
    pub kind: Option<String>,
    pub primary: Option<bool>,
}

impl Target {
    pub fn parse(path: &str) -> Result<Self, Refused> {
        let path = without_urn(path.trim());
        if let Some((attribute, rest)) = path.split_once('[') {
            return Self::selected(attribute, rest);
        }
        Ok(match path.to_ascii_lowercase().as_str() {
            "active" => Self::Active,
            "username" => Self::UserName,
            "externalid" => Self::ExternalId,
            "name" => Self::Name,
            "name.formatted" => Self::NamePart(NamePart::Formatted),
            "name.givenname" => Self::NamePart(NamePart::Given),
            "name.familyname" => Self::NamePart(NamePart::Family),
            "emails" => Self::Emails,
            other if is_read_only(other) => {
                let words = "id, schemas and meta cannot be changed";
                return Err(invalid(ErrorType::Mutability, words));
            }
            _ => return Err(unknown()),
        })
    }

    /// The text before the bracket and the rest.
    fn selected(attribute: &str, rest: &str) -> Result<Self, Refused> {
        let (filter, part) = rest.rsplit_once(']').ok_or_else(unknown)?;
        if !attribute.eq_ignore_ascii_case("emails") {
            return Err(unknown());
        }
        let part = match part.to_ascii_lowercase().as_str() {
            "" => None,
            ".value" => Some(EmailPart::Value),
            ".type" => Some(EmailPart::Type),
            ".primary" => Some(EmailPart::Primary),
            _ => return Err(unknown()),
        };
        let terms = terms(filter).map_err(|_| unknown())?;
        Ok(Self::Selected(Selection::of(terms)?, part))
    }
}

impl Selection {
    fn of(terms: Vec<Term>) -> Result<Self, Refused> {
        let mut selection = Self::default();
        for Term { attribute, value } in terms {
            let text = || value.as_str().map(folded).ok_or_else(unknown);
            match attribute.as_str() {
                "value" => selection.value = Some(text()?),
                "type" => selection.kind = Some(text()?),
                "primary" => {
                    let primary = boolean("primary", &value).map_err(|_| unknown())?;
                    selection.primary = Some(primary);
                }
                _ => return Err(unknown()),
            }
        }
        Ok(selection)
    }

    pub fn selects(&self, email: &EmailAddress) -> bool {
        let kind = email.kind.as_deref().map(folded);
        self.value
            .as_ref()
            .is_none_or(|it| *it == folded(&email.value))
            && self
                .kind
                .as_ref()
                .is_none_or(|it| Some(it) == kind.as_ref())
            && self.primary.is_none_or(|it| it == email.primary)
    }
}

/// A path or an attribute without the URN of the schema of users.
pub fn without_urn(path: &str) -> &str {
    let named = path.get(..USER.len());
    let rest = path
        .get(USER.len()..)
        .and_then(|rest| rest.strip_prefix(':'));
    match (named, rest) {
        (Some(urn), Some(rest)) if urn.eq_ignore_ascii_case(USER) => rest,
        _ => path,
    }
}

fn is_read_only(path: &str) -> bool {
    let attribute = path.split('.').next().unwrap_or_default();
    matches!(attribute, "id" | "schemas" | "meta")
}

fn unknown() -> Refused {
    invalid(
        ErrorType::InvalidPath,
        "path must name active, userName, externalId, name or one of its parts, or emails",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &str) -> Target {
        Target::parse(path).unwrap_or_else(|refused| panic!("{path}: {refused:?}"))
    }

    #[test]
    fn names_have_no_case_and_may_follow_the_urn() {
        for path in [
            "name.givenName",
            "NAME.GIVENNAME",
            "urn:ietf:params:scim:schemas:core:2.0:User:name.givenName",
            "URN:ietf:params:scim:schemas:core:2.0:user:name.givenName",
        ] {
            assert_eq!(parse(path), Target::NamePart(NamePart::Given), "{path}");
        }
    }

    #[test]
    fn addresses_are_selected() {
        let work = Selection {
            kind: Some("work".to_owned()),
            ..Selection::default()
        };
        let expected = Target::Selected(work.clone(), Some(EmailPart::Value));
        assert_eq!(parse(r#"emails[type eq "Work"].value"#), expected);
        assert_eq!(
            parse(r#"emails[type eq "work"]"#),
            Target::Selected(work, None)
        );
        let both = parse(r#"emails[primary eq true and value eq "A]@x.test"].type"#);
        let selection = Selection {
            value: Some("a]@x.test".to_owned()),
            primary: Some(true),
            kind: None,
        };
        assert_eq!(both, Target::Selected(selection, Some(EmailPart::Type)));
    }

    #[test]
    fn other_paths_are_refused() {
        for path in [
            "",
            "title",
            "name.middleName",
            "emails.value",
            "emails[",
            "emails[]",
            r#"emails[type eq "work""#,
            r#"emails[type ne "work"].value"#,
            r#"emails[type eq "work"].display"#,
            r#"emails[type eq "work"]value"#,
            r#"phoneNumbers[type eq "work"].value"#,
            "urn:ietf:params:scim:schemas:core:2.0:User",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
        ] {
            let refused = Target::parse(path).expect_err(path);
            assert_eq!(refused.error_type, Some(ErrorType::InvalidPath), "{path}");
        }
        for path in ["id", "schemas", "meta", "meta.created"] {
            let refused = Target::parse(path).expect_err(path);
            assert_eq!(refused.error_type, Some(ErrorType::Mutability), "{path}");
        }
    }
}
