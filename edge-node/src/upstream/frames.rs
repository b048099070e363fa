//! Frames on QUIC streams.

use protocol::wire::{
    codec::{Decode, Encode},
    frame::{self, FrameError, FrameHeader},
};
use quinn::{ReadExactError, RecvStream, SendStream, WriteError};

/// Bytes read between two signs of life.
const STEP: usize = 64 << 10;

/// Why a frame could not be transferred.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    /// The stream or its connection ended.
    #[error("the stream ended")]
    Read(#[from] ReadExactError),
    /// The stream or its connection ended.
    #[error("the stream was stopped")]
    Write(#[from] WriteError),
    /// What was received is not a valid frame.
    #[error("a frame was refused")]
    Frame(#[from] FrameError),
    /// The message is too large to send.
    #[error("a message was too large to send")]
    TooLarge(#[from] frame::TooLarge),
}

pub(super) async fn write<M: Encode>(
    stream: &mut SendStream,
    message: &M,
) -> Result<(), StreamError> {
    Ok(stream.write_all(&frame::encode(message)?).await?)
}

pub(super) async fn read<M: Decode<()>>(
    stream: &mut RecvStream,
    limit: usize,
) -> Result<M, StreamError> {
    let mut header = [0; FrameHeader::LENGTH];
    stream.read_exact(&mut header).await?;
    let header = FrameHeader::parse(header, limit)?;
    let mut payload = vec![0; header.payload_length()];
    stream.read_exact(&mut payload).await?;
    Ok(frame::decode(header, &payload)?)
}

/// Reads the rest of a frame whose header was read, and returns it behind that header. `progress` is called after every
/// step: a slow stream is not a silent one.
pub(super) async fn read_rest(
    stream: &mut RecvStream,
    start: [u8; FrameHeader::LENGTH],
    header: FrameHeader,
    progress: impl Fn(),
) -> Result<Vec<u8>, StreamError> {
    let mut frame = vec![0; FrameHeader::LENGTH + header.payload_length()];
    frame[..FrameHeader::LENGTH].copy_from_slice(&start);
    for step in frame[FrameHeader::LENGTH..].chunks_mut(STEP) {
        stream.read_exact(step).await?;
        progress();
    }
    Ok(frame)
}
