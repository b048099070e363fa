//! Receives what an edge uploads, each message on a stream of its own: one after the other, but those of a relay, which
//! reports for many, beside each other.

use std::{convert::Infallible, time::Duration};

use futures_util::{StreamExt, TryStreamExt, stream};
use protocol::wire::{
    frame::{UPLOAD_BELOW_LIMIT, UPLOAD_LIMIT},
    message::ControlMessage,
    usage::{ToldDefault, Upload, UsageBatch},
};
use quinn::{Connection, VarInt};
use tokio::{sync::mpsc, time::timeout};

use super::{close::Close, relays::Relayed, session::SessionError};
use crate::{
    frames,
    source::{Reporter, Source},
};

/// Uploads of a relay that arrive at the same time.
const OF_RELAY: VarInt = VarInt::from_u32(8);
/// Batches of a relay that are stored at the same time.
const STORED_FOR_RELAY: usize = 64;

/// The uploads of one edge.
pub(super) struct Uploads<'a, S> {
    pub(super) source: &'a S,
    pub(super) reporter: &'a Reporter,
    pub(super) outgoing: &'a mpsc::Sender<ControlMessage>,
}

impl<S: Source> Uploads<'_, S> {
    /// Receives for as long as the connection lives.
    pub(super) async fn receive(
        &self,
        connection: &Connection,
        relayed: Option<&Relayed<'_, S>>,
    ) -> Result<Infallible, SessionError> {
        let (arrived, mut uploads) = mpsc::channel(1);
        let (limit, at_once) = match relayed {
            Some(_) => {
                connection.set_max_concurrent_uni_streams(OF_RELAY);
                (UPLOAD_BELOW_LIMIT, STORED_FOR_RELAY)
            }
            None => (UPLOAD_LIMIT, 1),
        };
        let taking = stream::poll_fn(|cx| uploads.poll_recv(cx))
            .map(Ok)
            .try_for_each_concurrent(at_once, |upload| self.take(upload, relayed));
        tokio::select! {
            read = read(connection, limit, arrived) => read,
            taken = taking => match taken {
                Err(error) => Err(error),
                // Reading has ended, and says why.
                Ok(()) => std::future::pending().await,
            },
        }
    }

    async fn take(
        &self,
        upload: Upload,
        relayed: Option<&Relayed<'_, S>>,
    ) -> Result<(), SessionError> {
        match upload {
            Upload::Served(batch) => {
                batch.check()?;
                self.store(self.reporter, batch).await
            }
            Upload::Defaults(told) => {
                ToldDefault::check_all(&told)?;
                self.source.told(self.reporter, told).await;
                Ok(())
            }
            Upload::Finding(finding) => {
                finding.check()?;
                self.source.found(self.reporter, finding).await;
                Ok(())
            }
            Upload::ServedBelow { certificate, batch } => {
                let relayed = relayed.ok_or(SessionError::Close(Close::Protocol))?;
                // Before anybody is asked about the edge.
                batch.check()?;
                match relayed.reporter(certificate).await {
                    Some(reporter) => self.store(&reporter, batch).await,
                    // Not answered: it may be accepted later, if its edge sends it again.
                    None => Ok(()),
                }
            }
        }
    }

    /// A batch that is not answered is sent again, so its counts can only be late, not lost.
    async fn store(&self, reporter: &Reporter, batch: UsageBatch) -> Result<(), SessionError> {
        metrics::counter!("halyard_usage_batches_total").increment(1);
        let (boot, sequence) = (batch.boot, batch.sequence);
        if self.source.store(reporter, batch).await.is_ok() {
            let stored = ControlMessage::UsageStored { boot, sequence };
            // The writer drains the queue for as long as the session lasts.
            drop(self.outgoing.send(stored).await);
        }
        Ok(())
    }
}

async fn read(
    connection: &Connection,
    limit: usize,
    arrived: mpsc::Sender<Upload>,
) -> Result<Infallible, SessionError> {
    loop {
        let mut stream = connection.accept_uni().await?;
        let read = timeout(Duration::from_secs(60), frames::read(&mut stream, limit)).await;
        let upload = read.map_err(|_| SessionError::Close(Close::Silent))??;
        // The other end lasts as long as this.
        drop(arrived.send(upload).await);
    }
}
