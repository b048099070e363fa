//! The form in which an email is sent: headers, and both bodies.

use lettre::{
    Address, Message,
    address::AddressError,
    message::{
        Mailbox, MultiPart,
        header::{Header, HeaderName, HeaderValue},
    },
};

use super::{render::Content, store::Waiting};

/// An email that cannot be written, at this or any other attempt.
#[derive(Debug, thiserror::Error)]
pub(super) enum MessageError {
    #[error("not an address of the mail system")]
    Recipient(#[from] AddressError),
    #[error("cannot be written as a message")]
    Message(#[from] lettre::error::Error),
}

pub fn is_reachable(address: &str) -> bool {
    address.parse::<Address>().is_ok()
}

/// Writes an email. The same email gets the same `Message-ID` at every attempt, so that mail systems can recognise a
/// duplicate.
pub(super) fn write(
    mail: &Waiting,
    content: Content,
    from: &Mailbox,
) -> Result<Message, MessageError> {
    let recipient: Address = mail.recipient.parse()?;
    let message = Message::builder()
        .message_id(Some(format!("<{}@{}>", mail.id, from.email.domain())))
        .date(mail.created_at.into())
        .from(from.clone())
        .to(Mailbox::new(None, recipient))
        .subject(content.subject)
        .header(AutoSubmitted)
        .multipart(MultiPart::alternative_plain_html(
            content.text,
            content.html,
        ))?;
    Ok(message)
}

/// Asks vacation responders not to answer (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::ids::MailId;

    fn waiting(recipient: &str) -> Waiting {
        let now = datetime!(2026-05-04 12:00 UTC);
        Waiting {
            id: MailId::new(now),
            recipient: recipient.to_owned(),
            kind: "invitation".to_owned(),
            sealed_content: Vec::new(),
            created_at: now,
            due_at: now,
            expires_at: now,
            attempts: 1,
            org_id: None,
            by_verified: true,
            is_counted: true,
        }
    }

    fn content(subject: &str) -> Content {
        Content {
            subject: subject.to_owned(),
            text: "Grüße".to_owned(),
            html: "<p>Grüße</p>".to_owned(),
        }
    }

    fn headers(subject: &str) -> Vec<String> {
        let from = "Halyard <no-reply@example.com>".parse().unwrap();
        let message = write(&waiting("ada@example.com"), content(subject), &from).unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        let (headers, _) = text.split_once("\r\n\r\n").unwrap();
        let lines = headers.split("\r\n").filter(|line| !line.starts_with(' '));
        let names = lines.map(|line| line.split_once(':').unwrap().0.to_owned());
        names.collect()
    }

    #[test]
    fn line_breaks_add_no_headers() {
        let expected = [
            "Message-ID",
            "Date",
            "From",
            "To",
            "Subject",
            "Auto-Submitted",
            "MIME-Version",
            "Content-Type",
        ];
        for subject in [
            "plain",
            "ünïcode",
            "a\r\nBcc: eve@example.com",
            "a\nBcc: eve@example.com\n\nbody",
            "a\rb\0c",
        ] {
            assert_eq!(headers(subject), expected, "{subject:?}");
        }
    }

    #[test]
    fn a_recipient_is_one_address() {
        let from = "no-reply@example.com".parse().unwrap();
        for recipient in [
            "",
            "ada",
            "ada@example.com, eve@example.com",
            "ada@example.com\r\nBcc: eve@example.com",
            "Ada <ada@example.com>",
        ] {
            let written = write(&waiting(recipient), content("Hello"), &from);
            assert!(
                matches!(written, Err(MessageError::Recipient(_))),
                "{recipient}"
            );
        }
    }
}
