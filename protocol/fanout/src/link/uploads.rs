//! Receives what an edge uploads, one message after the other, each on a stream of its own.

use std::{convert::Infallible, time::Duration};

use protocol::wire::{
    frame::UPLOAD_LIMIT,
    message::ControlMessage,
    usage::{Upload, UsageBatch},
};
use quinn::Connection;
use tokio::{sync::mpsc, time::timeout};

use super::{close::Close, frames, session::SessionError};
use crate::{
    Fingerprint,
    source::{Reporter, Source},
};

/// Time for an upload to arrive once its stream is open.
const PATIENCE: Duration = Duration::from_secs(60);

/// The uploads of one edge.
pub(super) struct Uploads<'a, S> {
    pub(super) source: &'a S,
    pub(super) reporter: &'a Reporter,
    pub(super) is_relay: bool,
    pub(super) outgoing: &'a mpsc::Sender<ControlMessage>,
}

impl<S: Source> Uploads<'_, S> {
    /// Receives for as long as the connection lives.
    pub(super) async fn receive(
        &self,
        connection: &Connection,
    ) -> Result<Infallible, SessionError> {
        loop {
            let mut stream = connection.accept_uni().await?;
            let read = timeout(PATIENCE, frames::read(&mut stream, UPLOAD_LIMIT)).await;
            match read.map_err(|_| SessionError::Close(Close::Silent))?? {
                Upload::Usage(batch) => self.take(batch, None).await?,
                Upload::UsageBelow { certificate, batch } if self.is_relay => {
                    self.take(batch, Some(certificate)).await?;
                }
                Upload::UsageBelow { .. } => return Err(SessionError::Close(Close::Protocol)),
            }
        }
    }

    /// A batch that is not answered is sent again, so its counts can only be late, not lost.
    async fn take(
        &self,
        batch: UsageBatch,
        below: Option<Fingerprint>,
    ) -> Result<(), SessionError> {
        batch.check()?;
        metrics::counter!("halyard_usage_batches_total").increment(1);
        let (boot, sequence) = (batch.boot, batch.sequence);
        let stored = match below {
            None => self.source.store(self.reporter, batch).await,
            Some(certificate) => {
                let storing = self.source.store_below(self.reporter, certificate, batch);
                storing.await
            }
        };
        if stored.is_ok() {
            let stored = ControlMessage::UsageStored { boot, sequence };
            // The writer drains the queue for as long as the session lasts.
            drop(self.outgoing.send(stored).await);
        }
        Ok(())
    }
}
