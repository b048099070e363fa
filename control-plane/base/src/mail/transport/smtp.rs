//! Mail to a mail server.
//!
//! Connections are kept for a while for the next email. A connection is returned only after a complete exchange: one
//! that failed or was abandoned halfway might take the next email for the rest of the previous one.

use std::{mem, time::Duration};

use lettre::{
    Message,
    transport::smtp::{
        self,
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, TlsParameters},
        extension::ClientId,
        response::Category,
    },
};
use parking_lot::Mutex;
use secrecy::ExposeSecret;
use tokio::time::{Instant, timeout};

use super::{BoxError, SendError, StartError};
use crate::config::{Encryption, SmtpSettings};

pub(in crate::mail) struct Smtp {
    server: SmtpSettings,
    tls: TlsParameters,
    idle: Mutex<Vec<Idle>>,
}

struct Idle {
    connection: AsyncSmtpConnection,
    since: Instant,
}

impl Smtp {
    pub(super) fn new(server: SmtpSettings) -> Result<Self, StartError> {
        let tls = TlsParameters::new(server.host.clone()).map_err(StartError::Encryption)?;
        Ok(Self {
            server,
            tls,
            idle: Mutex::default(),
        })
    }

    pub(super) async fn send(&self, message: &Message) -> Result<(), SendError> {
        // For everything about one email: servers that inspect mail take their time.
        match timeout(Duration::from_secs(60), self.exchange(message)).await {
            Ok(sent) => sent.map_err(judge),
            Err(elapsed) => Err(SendError::Failed(elapsed.into())),
        }
    }

    async fn exchange(&self, message: &Message) -> Result<(), smtp::Error> {
        let mut connection = self.connection().await?;
        connection
            .send(message.envelope(), &message.formatted())
            .await?;
        self.idle.lock().push(Idle {
            connection,
            since: Instant::now(),
        });
        Ok(())
    }

    /// A kept connection, if the server has not closed it, or a new one.
    async fn connection(&self) -> Result<AsyncSmtpConnection, smtp::Error> {
        loop {
            let Some(mut idle) = self.idle.lock().pop() else {
                return self.connect().await;
            };
            if idle.connection.test_connected().await {
                return Ok(idle.connection);
            }
        }
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, smtp::Error> {
        let server = &self.server;
        let name = ClientId::default();
        let implicit = (server.encryption == Encryption::FromTheStart).then(|| self.tls.clone());
        let mut connection = AsyncSmtpConnection::connect_tokio1(
            (server.host.as_str(), server.port),
            Some(Duration::from_secs(10)),
            &name,
            implicit,
            None,
        )
        .await?;
        let wants_tls = match server.encryption {
            Encryption::WhenOffered => connection.can_starttls(),
            // Fails if it is not offered.
            Encryption::Required => true,
            Encryption::FromTheStart => false,
        };
        if wants_tls {
            connection.starttls(self.tls.clone(), &name).await?;
        }
        if let Some(account) = &server.credentials {
            let password = account.password.expose_secret().to_owned();
            let credentials = Credentials::new(account.user.clone(), password);
            connection.auth(DEFAULT_MECHANISMS, &credentials).await?;
        }
        Ok(connection)
    }

    /// Closes the connections that have not been used for a while. Servers wait for minutes.
    pub(super) async fn close_idle(&self) {
        let unused = {
            let mut idle = self.idle.lock();
            let kept = mem::take(&mut *idle);
            let (unused, kept) = kept
                .into_iter()
                .partition::<Vec<_>, _>(|idle| idle.since.elapsed() > Duration::from_secs(20));
            *idle = kept;
            unused
        };
        for mut idle in unused {
            // Closed in any case; the farewell is a courtesy.
            drop(timeout(Duration::from_secs(2), idle.connection.quit()).await);
        }
    }
}

/// The consequence of a mail server's answer for the email.
fn judge(error: smtp::Error) -> SendError {
    let Some(code) = error.status() else {
        return SendError::Failed(error.into());
    };
    // The text beside a code often repeats the recipient's address.
    let answer: BoxError = format!("the mail server answered {code}").into();
    // About the mailbox or the email itself (RFC 5321, 4.2.3). Other permanent refusals, such as of our password, are
    // misconfigurations that an operator can correct.
    if error.is_permanent() && code.category == Category::MailSystem {
        SendError::Refused(answer)
    } else {
        SendError::Failed(answer)
    }
}
