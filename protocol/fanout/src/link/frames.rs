//! Frames on streams. No memory is reserved for a length that has not been checked, nor for bytes that have not
//! arrived.

use bytes::{Bytes, BytesMut};
use protocol::wire::{
    codec::{Decode, Encode},
    frame::{self, FrameHeader},
};
use quinn::{RecvStream, SendStream};

/// Why a stream cannot be used any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error(transparent)]
    Frame(#[from] frame::FrameError),
    #[error(transparent)]
    TooLarge(#[from] frame::TooLarge),
    #[error("cannot read from the edge")]
    Read(#[from] quinn::ReadError),
    #[error("the edge ended its stream")]
    Ended,
    #[error("cannot write to the edge")]
    Write(#[from] quinn::WriteError),
}

/// Reads one message. Not cancellation safe.
pub(super) async fn read<M: Decode<()>>(
    stream: &mut RecvStream,
    limit: usize,
) -> Result<M, StreamError> {
    let start = read_bytes(stream, FrameHeader::LENGTH).await?;
    let start = start.first_chunk().ok_or(StreamError::Ended)?;
    let header = FrameHeader::parse(*start, limit)?;
    let payload = read_bytes(stream, header.payload_length()).await?;
    Ok(frame::decode(header, &payload)?)
}

/// Writes one message.
pub(super) async fn write<M: Encode>(
    stream: &mut SendStream,
    message: &M,
) -> Result<(), StreamError> {
    write_frame(stream, frame::encode(message)?.into()).await
}

/// Writes a message that is already a frame, without copying it.
pub(super) async fn write_frame(stream: &mut SendStream, frame: Bytes) -> Result<(), StreamError> {
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
