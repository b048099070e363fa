//! The routes for mail: a mail server, a folder, the log.

mod folder;
mod smtp;

use std::error::Error;

use lettre::Message;

use self::{folder::Folder, smtp::Smtp};
use crate::{config::MailRoute, ids::MailId};

/// The log target of development mail. It contains codes and addresses, which is why production refuses this route.
const LOG_TARGET: &str = "mail";

/// Sends mail, one at a time per caller.
pub(super) enum Transport {
    Smtp(Smtp),
    Folder(Folder),
    Log,
}

/// The configured route cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot encrypt connections to the mail server")]
    Encryption(#[source] lettre::transport::smtp::Error),
    #[error("cannot make the folder for mail")]
    Folder(#[source] std::io::Error),
}

/// Why an email was not sent. The texts contain no addresses: a mail server's own words are left out.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("refused for good")]
    Refused(#[source] BoxError),
    #[error("not sent")]
    Failed(#[source] BoxError),
}

type BoxError = Box<dyn Error + Send + Sync>;

impl Transport {
    pub(super) fn new(route: MailRoute) -> Result<Self, StartError> {
        Ok(match route {
            MailRoute::Smtp(settings) => Self::Smtp(Smtp::new(settings)?),
            MailRoute::Folder(path) => Self::Folder(Folder::new(path)?),
            MailRoute::Log => Self::Log,
        })
    }

    /// Sends an email. Safe to drop at any time; the email may or may not have been sent then.
    pub(super) async fn send(&self, id: MailId, message: &Message) -> Result<(), SendError> {
        match self {
            Self::Smtp(smtp) => smtp.send(message).await,
            Self::Folder(folder) => folder.write(id, message.formatted()).await,
            Self::Log => {
                let message = String::from_utf8_lossy(&message.formatted()).into_owned();
                tracing::info!(target: LOG_TARGET, message);
                Ok(())
            }
        }
    }

    /// Releases resources kept for the next email.
    pub(super) async fn rest(&self) {
        if let Self::Smtp(smtp) = self {
            smtp.close_idle().await;
        }
    }
}
