//! PATCH (RFC 7644, 3.5.2): its operations become edits, which are checked before any lock is taken, and applied all or none.
//!
//! Providers deviate from the standard and from each other: names of operations have no case, booleans are texts, an operation
//! without a path may have paths as field names, and a missing address may be replaced.

use serde_json::Value;

use super::{
    fields::{self, Fields, too_many_emails},
    model::{Attributes, EmailAddress, Emails, MAX_EMAILS, PersonName},
    path::{EmailPart, NamePart, Selection, Target},
    refused::{ErrorType, Refused, invalid, invalid_value},
};

const PATCH_OP: &str = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Add,
    Replace,
    Remove,
}

/// A change of one attribute, or of a part of it.
#[derive(Clone, Debug)]
enum Edit {
    Active(bool),
    UserName(String),
    ExternalId(Option<String>),
    NamePart(NamePart, Option<String>),
    /// Replaces all addresses.
    Emails(Emails),
    /// Adds addresses, each with an explicit primary flag or not.
    AddEmails(Vec<(EmailAddress, bool)>),
    RemoveEmails(Selection),
    /// Sets parts of the selected addresses, or of a new one if none matches.
    SetEmails(Selection, Vec<EmailEdit>),
}

#[derive(Clone, Debug)]
enum EmailEdit {
    Value(String),
    Type(Option<String>),
    Primary(bool),
}

#[derive(Debug)]
pub struct Edits(Vec<Edit>);

impl Edits {
    pub fn check(mut body: Fields) -> Result<Self, Refused> {
        body.require_schema(PATCH_OP)?;
        let operations = match body.take("operations") {
            Some(Value::Array(operations)) if !operations.is_empty() => operations,
            _ => return Err(malformed("Operations must be a list of operations")),
        };
        if operations.len() > 100 {
            let words = "a request has at most 100 operations";
            return Err(malformed(words));
        }
        let mut edits = Self(Vec::new());
        for operation in operations {
            edits.add_operation(operation)?;
        }
        Ok(edits)
    }

    pub fn apply(self, to: &Attributes, active: bool) -> Result<(Attributes, bool), Refused> {
        let mut made = (to.clone(), active);
        for edit in self.0 {
            edit.apply(&mut made.0, &mut made.1)?;
        }
        if made.0.emails.0.len() > MAX_EMAILS {
            return Err(too_many_emails());
        }
        Ok(made)
    }

    fn add_operation(&mut self, operation: Value) -> Result<(), Refused> {
        let Value::Object(_) = operation else {
            return Err(malformed("each of Operations must be an object"));
        };
        let mut operation = Fields::of("operation", operation)?;
        let op = match operation.take("op").as_ref().and_then(Value::as_str) {
            Some(op) if op.eq_ignore_ascii_case("add") => Op::Add,
            Some(op) if op.eq_ignore_ascii_case("replace") => Op::Replace,
            Some(op) if op.eq_ignore_ascii_case("remove") => Op::Remove,
            _ => return Err(malformed("op must be add, replace or remove")),
        };
        let value = operation.take("value");
        match operation.take("path") {
            None | Some(Value::Null) => self.add_pathless(op, value),
            Some(Value::String(path)) => self.add(op, Target::parse(&path)?, value),
            Some(_) => Err(invalid(ErrorType::InvalidPath, "path must be a text")),
        }
    }

    /// The fields of the value name the changed attributes. Unsupported ones are ignored, as in a POST.
    fn add_pathless(&mut self, op: Op, value: Option<Value>) -> Result<(), Refused> {
        if op == Op::Remove {
            let words = "an operation that removes needs a path";
            return Err(invalid(ErrorType::NoTarget, words));
        }
        let value = value.unwrap_or_default();
        for (name, value) in Fields::of("value", value)?.rest() {
            if let Ok(target) = Target::parse(&name) {
                self.add(op, target, Some(value))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, op: Op, target: Target, value: Option<Value>) -> Result<(), Refused> {
        if op == Op::Remove {
            return self.add_removal(target, value);
        }
        let value = value.ok_or_else(|| invalid_value("value is required"))?;
        let edit = match target {
            Target::Active => Edit::Active(fields::boolean("active", &value)?),
            Target::UserName => Edit::UserName(fields::user_name(value)?),
            Target::ExternalId => Edit::ExternalId(fields::text("externalId", value)?),
            Target::Name if value.is_null() => return self.add_removal(target, None),
            Target::Name => return self.add_name(value),
            Target::NamePart(part) => Edit::NamePart(part, fields::text("name", value)?),
            Target::Emails if op == Op::Replace => Edit::Emails(fields::emails(value)?),
            Target::Emails => Edit::AddEmails(fields::email_list(value)?),
            Target::Selected(selection, None) => Edit::SetEmails(selection, email_edits(value)?),
            Target::Selected(selection, Some(part)) => {
                Edit::SetEmails(selection, vec![email_edit(part, value)?])
            }
        };
        self.0.push(edit);
        Ok(())
    }

    /// Missing parts stay as they are.
    fn add_name(&mut self, value: Value) -> Result<(), Refused> {
        let mut parts = Fields::of("name", value)?;
        for (field, part) in [
            ("formatted", NamePart::Formatted),
            ("givenname", NamePart::Given),
            ("familyname", NamePart::Family),
        ] {
            if let Some(value) = parts.take(field) {
                let text = fields::text("name", value)?;
                self.0.push(Edit::NamePart(part, text));
            }
        }
        Ok(())
    }

    fn add_removal(&mut self, target: Target, value: Option<Value>) -> Result<(), Refused> {
        let edits = match target {
            Target::Active | Target::UserName => {
                let words = "active and userName cannot be removed";
                return Err(invalid(ErrorType::Mutability, words));
            }
            Target::ExternalId => vec![Edit::ExternalId(None)],
            Target::Name => [NamePart::Formatted, NamePart::Given, NamePart::Family]
                .map(|part| Edit::NamePart(part, None))
                .into(),
            Target::NamePart(part) => vec![Edit::NamePart(part, None)],
            Target::Emails => match value.filter(|value| !value.is_null()) {
                None => vec![Edit::Emails(Emails::default())],
                // Non-standard, but unambiguous: removes these, not all.
                Some(value) => removals(value)?,
            },
            Target::Selected(selection, None | Some(EmailPart::Value)) => {
                vec![Edit::RemoveEmails(selection)]
            }
            Target::Selected(selection, Some(EmailPart::Type)) => {
                vec![Edit::SetEmails(selection, vec![EmailEdit::Type(None)])]
            }
            Target::Selected(selection, Some(EmailPart::Primary)) => {
                vec![Edit::SetEmails(selection, vec![EmailEdit::Primary(false)])]
            }
        };
        self.0.extend(edits);
        Ok(())
    }
}

fn removals(value: Value) -> Result<Vec<Edit>, Refused> {
    let named = fields::email_list(value)?;
    let removal = |(email, _): (EmailAddress, bool)| {
        Edit::RemoveEmails(Selection {
            value: Some(super::model::folded(&email.value)),
            ..Selection::default()
        })
    };
    Ok(named.into_iter().map(removal).collect())
}

fn email_edits(value: Value) -> Result<Vec<EmailEdit>, Refused> {
    let mut parts = Fields::of("value", value)?;
    let mut edits = Vec::new();
    for (field, part) in [
        ("value", EmailPart::Value),
        ("type", EmailPart::Type),
        ("primary", EmailPart::Primary),
    ] {
        if let Some(value) = parts.take(field) {
            edits.push(email_edit(part, value)?);
        }
    }
    Ok(edits)
}

fn email_edit(part: EmailPart, value: Value) -> Result<EmailEdit, Refused> {
    Ok(match part {
        EmailPart::Value => EmailEdit::Value(fields::email_value(value)?),
        EmailPart::Type => EmailEdit::Type(fields::email_type(value)?),
        EmailPart::Primary => EmailEdit::Primary(fields::boolean("emails.primary", &value)?),
    })
}

impl Edit {
    fn apply(self, user: &mut Attributes, active: &mut bool) -> Result<(), Refused> {
        let emails = &mut user.emails.0;
        match self {
            Self::Active(value) => *active = value,
            Self::UserName(value) => user.user_name = value,
            Self::ExternalId(value) => user.external_id = value,
            Self::NamePart(part, value) => *part_of(&mut user.name, part) = value,
            Self::Emails(value) => user.emails = value,
            Self::AddEmails(added) => added
                .into_iter()
                .for_each(|(email, says)| add_email(emails, email, says)),
            Self::RemoveEmails(selection) => emails.retain(|email| !selection.selects(email)),
            Self::SetEmails(selection, edits) => set_emails(emails, &selection, &edits)?,
        }
        Ok(())
    }
}

fn part_of(name: &mut PersonName, part: NamePart) -> &mut Option<String> {
    match part {
        NamePart::Formatted => &mut name.formatted,
        NamePart::Given => &mut name.given,
        NamePart::Family => &mut name.family,
    }
}

/// An existing address is not added again, but may become primary. A single address is primary unless stated otherwise.
fn add_email(emails: &mut Vec<EmailAddress>, mut email: EmailAddress, says: bool) {
    email.primary |= emails.is_empty() && !says;
    let same = |there: &EmailAddress| there.value == email.value && there.kind == email.kind;
    let at = emails.iter().position(same).unwrap_or_else(|| {
        emails.push(EmailAddress {
            primary: false,
            ..email.clone()
        });
        emails.len() - 1
    });
    if email.primary {
        make_primary(emails, at);
    }
}

fn set_emails(
    emails: &mut Vec<EmailAddress>,
    selection: &Selection,
    edits: &[EmailEdit],
) -> Result<(), Refused> {
    let mut selected: Vec<_> = (0..emails.len())
        .filter(|at| selection.selects(&emails[*at]))
        .collect();
    if selected.is_empty() {
        let names_itself = edits.iter().any(|edit| matches!(edit, EmailEdit::Value(_)));
        if selection.value.is_some() || !names_itself {
            let words = "path selects none of emails";
            return Err(invalid(ErrorType::NoTarget, words));
        }
        selected.push(emails.len());
        emails.push(EmailAddress {
            value: String::new(),
            kind: selection.kind.clone(),
            primary: selection.primary.unwrap_or(emails.is_empty()),
        });
    }
    for at in selected {
        for edit in edits {
            match edit {
                EmailEdit::Value(value) => emails[at].value.clone_from(value),
                EmailEdit::Type(kind) => emails[at].kind.clone_from(kind),
                EmailEdit::Primary(true) => make_primary(emails, at),
                EmailEdit::Primary(false) => emails[at].primary = false,
            }
        }
    }
    Ok(())
}

/// Makes one address the only primary one.
fn make_primary(emails: &mut [EmailAddress], primary: usize) {
    for (at, email) in emails.iter_mut().enumerate() {
        email.primary = at == primary;
    }
}

fn malformed(words: &'static str) -> Refused {
    invalid(ErrorType::InvalidSyntax, words)
}

#[cfg(test)]
mod tests;
