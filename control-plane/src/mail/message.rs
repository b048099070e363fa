//! The form in which a mail travels: headers, and both bodies.

use lettre::{
    Address, Message,
    address::AddressError,
    message::{
        Mailbox, MultiPart,
        header::{Header, HeaderName, HeaderValue},
    },
};

use super::{render::Content, store::Waiting};

/// A mail that is written wrongly, and will be at every attempt.
#[derive(Debug, thiserror::Error)]
pub(super) enum MessageError {
    /// The recipient's address is none that mail can be sent to.
    #[error("not an address of the mail system")]
    Recipient(#[from] AddressError),
    /// Headers and bodies make no message.
    #[error("cannot be written as a message")]
    Message(#[from] lettre::error::Error),
}

/// Writes a mail. The same mail gets the same `Message-ID` at every attempt, so that mail systems can tell a repetition.
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

/// Tells vacation responders not to answer (RFC 3834).
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
