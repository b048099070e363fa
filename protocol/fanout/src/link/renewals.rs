//! Renews the certificate of a connected edge when it asks.

use std::{convert::Infallible, time::Duration};

use protocol::wire::message::ControlMessage;
use tokio::{sync::mpsc, time::sleep};

use super::session::SessionError;
use crate::{Fingerprint, source::Source};

/// An edge asks once in years. Further wishes are dropped while one waits.
const WAITING: usize = 1;

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
        metrics::counter!("halyard_edge_renewals_total", "result" => "dropped").increment(1);
    }
}

/// The asking edge, and how to answer it.
pub(super) struct Renewals<'a, S> {
    pub(super) source: &'a S,
    /// The certificate with which it is connected.
    pub(super) fingerprint: Fingerprint,
    pub(super) outgoing: &'a mpsc::Sender<ControlMessage>,
}

impl<S: Source> Renewals<'_, S> {
    /// Answers for as long as the session lasts.
    pub(super) async fn answer(
        &self,
        mut wishes: mpsc::Receiver<Wish>,
    ) -> Result<Infallible, SessionError> {
        while let Some(wish) = wishes.recv().await {
            let answer = self.renew(wish).await;
            // Nobody waits for it once the session has ended.
            drop(self.outgoing.send(answer).await);
            // A broken edge must not keep the database busy.
            sleep(Duration::from_secs(1)).await;
        }
        std::future::pending().await
    }

    async fn renew(&self, wish: Wish) -> ControlMessage {
        let Wish {
            request,
            certificate_request,
        } = wish;
        let renewed = self.source.renew(&self.fingerprint, certificate_request);
        match renewed.await {
            Ok(certificate) => ControlMessage::Renewed {
                request,
                certificate,
            },
            Err(reason) => ControlMessage::NotRenewed { request, reason },
        }
    }
}
