//! A sales inquiry, and the rules for it.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::accounts::email::Email;
use base::input::{Invalid, all_given, has_text, is_longer_than, proper_name};

#[derive(Debug)]
pub struct Inquiry {
    pub contact_name: String,
    pub email: Email,
    pub company: String,
    /// A range such as `11-50`; may be empty.
    pub team_size: String,
    /// May have several lines, or be empty.
    pub message: String,
}

/// An inquiry as it was sent.
#[derive(Deserialize, ToSchema)]
#[schema(as = SalesInquiry)]
pub struct RawInquiry {
    /// Required, at most 255 characters.
    #[schema(value_type = String)]
    contact_name: Option<String>,
    /// Required.
    #[schema(value_type = String)]
    email: Option<String>,
    /// Required, at most 255 characters.
    #[schema(value_type = String)]
    company: Option<String>,
    /// A range, as `11-50`; at most 255 characters.
    team_size: Option<String>,
    /// At most 2000 characters. The only field that may have several lines.
    message: Option<String>,
}

impl RawInquiry {
    pub fn check(self) -> Result<Inquiry, Invalid> {
        all_given([
            ("contact_name", has_text(&self.contact_name)),
            ("email", has_text(&self.email)),
            ("company", has_text(&self.company)),
        ])?;
        let team_size = self.team_size.filter(|text| !text.trim().is_empty());
        Ok(Inquiry {
            contact_name: proper_name("contact_name", self.contact_name)?,
            email: Email::parse(self.email.as_deref())?,
            company: proper_name("company", self.company)?,
            team_size: match team_size {
                None => String::new(),
                given => proper_name("team_size", given)?,
            },
            message: message(self.message.unwrap_or_default())?,
        })
    }
}

fn message(text: String) -> Result<String, Invalid> {
    if is_longer_than(&text, 2_000) {
        return Err(Invalid::new("message must have at most 2000 characters"));
    }
    let is_layout = |c: char| matches!(c, '\n' | '\r' | '\t');
    if text.chars().any(|c| c.is_control() && !is_layout(c)) {
        return Err(Invalid::new(
            "message must not contain control characters other than tabs and line breaks",
        ));
    }
    Ok(text)
}
