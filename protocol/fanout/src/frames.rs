//! Frames on the streams of a link, at either end. No memory is reserved for a length that has not been checked, nor for bytes that have not
//! arrived.

use bytes::{Bytes, BytesMut};
use protocol::wire::{
    codec::{Decode, Encode},
    frame::{self, FrameHeader},
};
use quinn::{RecvStream, SendStream};

/// Why a stream cannot be used any more.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// A frame is not valid.
    #[error(transparent)]
    Frame(#[from] frame::FrameError),
    /// A message is too large to send.
    #[error(transparent)]
    TooLarge(#[from] frame::TooLarge),
    /// The connection ended, or the stream was reset.
    #[error("cannot read from the peer")]
    Read(#[from] quinn::ReadError),
    /// The stream ended in the middle of a frame.
    #[error("the peer ended its stream")]
    Ended,
    /// The connection ended, or the peer stopped the stream.
    #[error("cannot write to the peer")]
    Write(#[from] quinn::WriteError),
}

impl From<quinn::ReadExactError> for StreamError {
    fn from(error: quinn::ReadExactError) -> Self {
        match error {
            quinn::ReadExactError::FinishedEarly(_) => Self::Ended,
            quinn::ReadExactError::ReadError(error) => Self::Read(error),
        }
    }
}

/// Reads one message. Not cancellation safe.
///
/// # Errors
/// When the stream ends, or its frame is not valid or too long.
pub async fn read<M: Decode<()>>(stream: &mut RecvStream, limit: usize) -> Result<M, StreamError> {
    let mut start = [0; FrameHeader::LENGTH];
    stream.read_exact(&mut start).await?;
    let header = FrameHeader::parse(start, limit)?;
    let payload = read_bytes(stream, header.payload_length()).await?;
    Ok(frame::decode(header, &payload)?)
}

/// Writes one message.
///
/// # Errors
/// When the stream cannot be written to, or the message is too large.
pub async fn write<M: Encode>(stream: &mut SendStream, message: &M) -> Result<(), StreamError> {
    write_frame(stream, frame::encode(message)?.into()).await
}

/// Writes a message that is already a frame, without copying it.
pub(crate) async fn write_frame(stream: &mut SendStream, frame: Bytes) -> Result<(), StreamError> {
    Ok(stream.write_chunk(frame).await?)
}

async fn read_bytes(stream: &mut RecvStream, length: usize) -> Result<BytesMut, StreamError> {
    let mut bytes = BytesMut::new();
    while bytes.len() < length {
        let chunk = stream.read_chunk(length - bytes.len(), true).await?;
        bytes.extend_from_slice(&chunk.ok_or(StreamError::Ended)?.bytes);
    }
    Ok(bytes)
}
