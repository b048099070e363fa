//! Takes what an edge uploads, one message after the other, each from a stream of its own.

use std::{convert::Infallible, time::Duration};

use protocol::wire::{
    frame::UPLOAD_LIMIT,
    usage::{Upload, UsageBatch},
};
use quinn::Connection;
use tokio::time::timeout;

use super::{close::Close, frames, session::SessionError};

/// Time for an upload to arrive once its stream is open.
const PATIENCE: Duration = Duration::from_secs(60);

/// Receives for as long as the connection lives.
pub(super) async fn receive(connection: &Connection) -> Result<Infallible, SessionError> {
    loop {
        let mut stream = connection.accept_uni().await?;
        let read = timeout(PATIENCE, frames::read(&mut stream, UPLOAD_LIMIT)).await;
        match read.map_err(|_| SessionError::Close(Close::Silent))?? {
            Upload::Usage(batch) => take(&batch)?,
        }
    }
}

/// A batch that is not answered is sent again, so that counting it can only be late.
fn take(batch: &UsageBatch) -> Result<(), SessionError> {
    batch.check()?;
    metrics::counter!("halyard_usage_batches_total").increment(1);
    Ok(())
}
