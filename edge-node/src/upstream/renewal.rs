//! Renews the certificate of this edge over the link, before it ends.
//!
//! The edge makes a new key, and the control plane a certificate for it. With that it connects again at once, and leaves the
//! connection at hand when the new one is there: the control plane would end it with the old certificate.

use std::{convert::Infallible, time::Duration};

use parking_lot::Mutex;
use protocol::wire::message::EdgeMessage;
use rustls_pki_types::CertificateDer;
use serving::error::chain;
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::oneshot,
    task::{JoinError, spawn_blocking},
    time::{Instant, sleep, timeout},
};

use super::{
    connect::{self, SessionError},
    session::Session,
};
use crate::identity::{
    Draft, NewKey, Pair, Unreadable, Validity, WriteError, pause, renewal_begins,
};

/// How often it is looked whether it is time: clocks are adjusted, and files replaced.
const CHECK: Duration = Duration::from_secs(60);

/// The attempts of this process: a link that is lost over and over does not make them more.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    next: Mutex<Option<Instant>>,
}

impl Attempts {
    fn wait(&self) -> Option<Duration> {
        let next = *self.next.lock();
        Some(next?.saturating_duration_since(Instant::now())).filter(|wait| !wait.is_zero())
    }

    fn begin(&self, pause: Duration) {
        let mut next = self.next.lock();
        *next = Some(Instant::now() + pause);
    }
}

/// The answer of the control plane: a certificate, or why there is none.
pub(super) type Answer = Result<Vec<u8>, String>;

/// The request that waits for its answer.
#[derive(Debug, Default)]
pub(super) struct Pending(Mutex<Option<(u64, oneshot::Sender<Answer>)>>);

impl Pending {
    fn begin(&self, request: u64) -> oneshot::Receiver<Answer> {
        let (answer, answered) = oneshot::channel();
        *self.0.lock() = Some((request, answer));
        answered
    }

    /// Takes an answer. One without an asker is ignored.
    pub(super) fn answered(&self, request: u64, answer: Answer) {
        let mut pending = self.0.lock();
        if let Some((_, waiting)) = pending.take_if(|(asked, _)| *asked == request) {
            // The asker may have given up.
            waiting.send(answer).unwrap_or_default();
        }
    }
}

/// Why there is no new certificate.
#[derive(Debug, thiserror::Error)]
enum RenewalError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("cannot make a key")]
    Key(#[from] rcgen::Error),
    #[error("the control plane did not answer in time")]
    NoAnswer,
    #[error("the control plane refused: {0}")]
    Refused(String),
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    #[error("the new certificate is for another key, or ends no later than the old one")]
    Useless,
    #[error("writing the new identity failed")]
    Task(#[from] JoinError),
}

/// Renews when it is time. Ends the session when there is a connection with another certificate.
pub(super) async fn keep(session: &Session<'_>) -> Result<Infallible, SessionError> {
    loop {
        match connect::again(session.upstream, session.link).await {
            Ok(Some(link)) => return Err(SessionError::Renewed(Box::new(link))),
            Ok(None) => {}
            Err(error) => tracing::warn!(
                error = chain(&error),
                "cannot connect with the renewed certificate yet; the link goes on with the old one"
            ),
        }
        sleep(session.renew_when_due().await).await;
    }
}

impl Session<'_> {
    /// Returns when to look again.
    async fn renew_when_due(&self) -> Duration {
        let attempts = &self.upstream.renewals;
        // That it cannot be read is logged where connections are made and where the certificate is watched.
        let Ok(pair) = Pair::read(&self.upstream.settings.identity) else {
            return CHECK;
        };
        let (Ok(validity), Some(certificate)) = (pair.validity(), pair.chain.first()) else {
            return CHECK;
        };
        let now_ms = self.upstream.edge.parts().clock.now_ms();
        let left_ms = renewal_begins(certificate, validity).saturating_sub(now_ms);
        if let Ok(left @ 1..) = u64::try_from(left_ms) {
            return Duration::from_millis(left).min(CHECK);
        }
        if let Some(wait) = attempts.wait() {
            return wait.min(CHECK);
        }
        attempts.begin(pause(validity));
        match self.renew(validity).await {
            Ok(renewed) => {
                count("renewed");
                tracing::info!(
                    days_left = renewed.days_left(now_ms).floor(),
                    "renewed the certificate of this edge"
                );
                return Duration::ZERO;
            }
            Err(error) => {
                count("failed");
                tracing::warn!(
                    error = chain(&error),
                    days_left = validity.days_left(now_ms).floor(),
                    "cannot renew the certificate of this edge; it goes on with the one it has"
                );
            }
        }
        pause(validity).min(CHECK)
    }

    async fn renew(&self, current: Validity) -> Result<Validity, RenewalError> {
        let folder = self.upstream.settings.identity.clone();
        let begun = spawn_blocking(move || {
            let key = NewKey::make()?;
            let draft = Draft::begin(&folder, &key)?;
            Ok::<_, RenewalError>((key, draft))
        });
        let (key, draft) = begun.await??;
        let certificate = CertificateDer::from(self.request(key.request()?).await?);
        let renewed = Validity::of(&certificate)?;
        if !key.is_of(&certificate)? || renewed.until_ms <= current.until_ms {
            return Err(RenewalError::Useless);
        }
        let fingerprint = Sha256::digest(&certificate).into();
        spawn_blocking(move || draft.complete(&certificate)).await??;
        if let Some(keeper) = &self.upstream.keeper {
            keeper.renewed(fingerprint);
        }
        self.upstream.downstream.renewed();
        Ok(renewed)
    }

    async fn request(&self, certificate_request: Vec<u8>) -> Result<Vec<u8>, RenewalError> {
        let request = self.next_request();
        let answered = self.renewal.begin(request);
        let message = EdgeMessage::Renew {
            request,
            certificate_request,
        };
        // The writer drains the queue for as long as the session lasts.
        drop(self.outgoing.send(message).await);
        match timeout(Duration::from_secs(30), answered).await {
            Ok(Ok(Ok(certificate))) => Ok(certificate),
            Ok(Ok(Err(reason))) => Err(RenewalError::Refused(reason.chars().take(200).collect())),
            Ok(Err(_)) | Err(_) => Err(RenewalError::NoAnswer),
        }
    }
}

fn count(result: &'static str) {
    metrics::counter!("halyard_edge_certificate_renewals_total", "result" => result).increment(1);
}
