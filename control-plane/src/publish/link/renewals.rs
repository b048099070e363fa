//! Renews the certificate of a connected edge when it asks.

use std::{convert::Infallible, time::Duration};

use protocol::wire::message::ControlMessage;
use serving::error::chain;
use tokio::{sync::mpsc, time::sleep};

use super::session::SessionError;
use crate::{
    edges::renew::{RenewError, Renewed, renew},
    operator::date,
    publish::{Fingerprint, Publisher, tls::Authority},
};

/// An edge asks once in years. Further wishes are dropped while one waits.
const WAITING: usize = 1;
/// Between two answers, so that a broken edge does not keep the database busy.
const PAUSE: Duration = Duration::from_secs(1);

/// A wish for a certificate, and its number.
pub(super) struct Wish {
    pub(super) request: u64,
    pub(super) certificate_request: Vec<u8>,
}

/// A queue of wishes: sessions put them in, [`Renewals`] takes them out.
pub(super) fn queue() -> (mpsc::Sender<Wish>, mpsc::Receiver<Wish>) {
    mpsc::channel(WAITING)
}

/// Queues a wish, unless one waits.
pub(super) fn ask(queue: &mpsc::Sender<Wish>, wish: Wish) {
    if queue.try_send(wish).is_err() {
        count("dropped");
    }
}

/// The asking edge, and how to answer it.
pub(super) struct Renewals<'a> {
    pub(super) handle: &'a Publisher,
    pub(super) authority: &'a Authority,
    /// The certificate with which it is connected.
    pub(super) fingerprint: Fingerprint,
    pub(super) outgoing: &'a mpsc::Sender<ControlMessage>,
}

impl Renewals<'_> {
    /// Answers for as long as the session lasts.
    pub(super) async fn answer(
        &self,
        mut wishes: mpsc::Receiver<Wish>,
    ) -> Result<Infallible, SessionError> {
        while let Some(wish) = wishes.recv().await {
            let answer = self.renew(wish).await;
            // Nobody waits for it once the session has ended.
            drop(self.outgoing.send(answer).await);
            sleep(PAUSE).await;
        }
        std::future::pending().await
    }

    async fn renew(&self, wish: Wish) -> ControlMessage {
        let Wish {
            request,
            certificate_request,
        } = wish;
        let shared = &self.handle.0;
        let renewed = renew(
            &shared.db,
            self.authority,
            &self.fingerprint,
            &certificate_request,
            shared.clock.now(),
        );
        match renewed.await {
            Ok(Renewed { edge, certificate }) => {
                count("renewed");
                tracing::info!(
                    edge.name = edge.name,
                    until = date(edge.expires_at),
                    "renewed the certificate of an edge"
                );
                ControlMessage::Renewed {
                    request,
                    certificate: certificate.to_vec(),
                }
            }
            Err(error) => ControlMessage::NotRenewed {
                request,
                reason: refuse(&error),
            },
        }
    }
}

/// What the edge is told.
fn refuse(error: &RenewError) -> String {
    if error.is_fault() {
        count("failed");
        tracing::warn!(
            error = chain(error),
            "cannot renew the certificate of an edge"
        );
        "the control plane cannot issue certificates now".to_owned()
    } else {
        count("refused");
        error.to_string()
    }
}

fn count(result: &'static str) {
    metrics::counter!("halyard_edge_renewals_total", "result" => result).increment(1);
}
