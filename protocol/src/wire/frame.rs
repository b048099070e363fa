//! How a message becomes a frame, in every version of the link.
//!
//! A frame is the length of its payload (u32, little-endian), a byte of flags, and the payload: an encoded message,
//! compressed with zstd if bit 0 of the flags is set. The first five bytes tell how many follow, and
//! [`FrameHeader::parse`] refuses a length before anybody allocates for it. Reading from and writing to streams is left
//! to each side.

use super::codec::{self, Decode, Encode};

/// Limit of a `Hello`: 56 bytes per environment held.
pub const HELLO_LIMIT: usize = 16 << 20;
/// Limit of any other message from an edge.
pub const EDGE_LIMIT: usize = 64 << 10;
/// Limit of a message from the control plane on the control stream; `Welcome` is the largest.
pub const CONTROL_LIMIT: usize = 16 << 20;
/// Limit of what an edge uploads.
pub const UPLOAD_LIMIT: usize = 1 << 20;
/// Limit of what a relay uploads: the longest upload of an edge below it, with the edge's certificate.
pub const UPLOAD_BELOW_LIMIT: usize = UPLOAD_LIMIT + 64;
/// Limit of a push. The control plane refuses environments larger than 48 MiB.
pub const PUSH_LIMIT: usize = 64 << 20;

const ZSTD: u8 = 1;

/// Why a frame was refused. In every case the peer is broken: close the stream.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The payload, or what it decompresses to, is longer than the receiver accepts.
    #[error("frame of {length} bytes, at most {limit} are accepted")]
    TooLong {
        /// Bytes announced.
        length: u64,
        /// Bytes accepted.
        limit: usize,
    },
    /// Flags that are not defined.
    #[error("unknown frame flags {0:#04x}")]
    Flags(u8),
    /// The payload does not have the length in its header.
    #[error("payload of {found} bytes, the header says {expected}")]
    Length {
        /// Bytes announced.
        expected: usize,
        /// Bytes handed in.
        found: usize,
    },
    /// The payload does not decompress.
    #[error("payload does not decompress")]
    Compression,
    /// The body is not a valid message.
    #[error(transparent)]
    Message(#[from] codec::DecodeError),
}

/// A message too large for any receiver.
#[derive(Debug, thiserror::Error)]
#[error("message of {length} bytes, no peer accepts more than {PUSH_LIMIT}")]
pub struct TooLarge {
    /// Bytes of the encoded message.
    pub length: usize,
}

/// The first five bytes of a frame, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    length: usize,
    limit: usize,
    compressed: bool,
}

impl FrameHeader {
    /// Bytes of a header.
    pub const LENGTH: usize = 5;

    /// Parses a header. The limit applies to the payload and to what it decompresses to.
    ///
    /// # Errors
    /// When the payload would be longer than the limit, or the flags are unknown.
    pub fn parse(bytes: [u8; Self::LENGTH], limit: usize) -> Result<Self, FrameError> {
        let [a, b, c, d, flags] = bytes;
        if flags & !ZSTD != 0 {
            return Err(FrameError::Flags(flags));
        }
        let length = u32::from_le_bytes([a, b, c, d]);
        match usize::try_from(length) {
            Ok(fits) if fits <= limit => Ok(Self {
                length: fits,
                limit,
                compressed: flags & ZSTD != 0,
            }),
            _ => Err(FrameError::TooLong {
                length: length.into(),
                limit,
            }),
        }
    }

    /// Bytes of the payload, which follow the header.
    #[must_use]
    pub const fn payload_length(self) -> usize {
        self.length
    }
}

/// Encodes a message as a frame, header included.
///
/// # Errors
/// When the encoded message is longer than [`PUSH_LIMIT`].
pub fn encode<M: Encode>(message: &M) -> Result<Vec<u8>, TooLarge> {
    let body = codec::encode(message);
    if body.len() > PUSH_LIMIT {
        return Err(TooLarge { length: body.len() });
    }
    // Compression is only an optimisation: if it fails or does not help, the message is sent as it is.
    // For smaller bodies it gains nothing.
    let compressed = if body.len() > 1 << 10 {
        // The default of zstd: a good ratio at hundreds of megabytes a second.
        zstd::bulk::compress(&body, 3)
            .ok()
            .filter(|packed| packed.len() < body.len())
    } else {
        None
    };
    let (payload, flags) = compressed.map_or((body, 0), |packed| (packed, ZSTD));
    let length = u32::try_from(payload.len()).expect("PUSH_LIMIT fits 32 bits");

    let mut frame = Vec::with_capacity(FrameHeader::LENGTH + payload.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.push(flags);
    frame.extend_from_slice(&payload);
    Ok(frame)
}

/// Decodes the message in a payload.
///
/// # Errors
/// When the payload does not match its header, decompresses to more than the limit, or is not an `M`.
pub fn decode<M: Decode<()>>(header: FrameHeader, payload: &[u8]) -> Result<M, FrameError> {
    if payload.len() != header.length {
        return Err(FrameError::Length {
            expected: header.length,
            found: payload.len(),
        });
    }
    if header.compressed {
        Ok(codec::decode(&decompress(header, payload)?)?)
    } else {
        Ok(codec::decode(payload)?)
    }
}

/// Bytes of the message in a payload, by what it says itself; nothing is decompressed or decoded.
///
/// # Errors
/// When it does not say so, or more than the limit.
pub fn decoded_length(header: FrameHeader, payload: &[u8]) -> Result<usize, FrameError> {
    if !header.compressed {
        return Ok(payload.len());
    }
    let Ok(Some(length)) = zstd::zstd_safe::get_frame_content_size(payload) else {
        return Err(FrameError::Compression);
    };
    let fitting = usize::try_from(length).ok();
    let fitting = fitting.filter(|fits| *fits <= header.limit);
    let limit = header.limit;
    fitting.ok_or(FrameError::TooLong { length, limit })
}

/// Decompresses exactly as many bytes as the zstd frame announces, and refuses an announcement above the limit.
fn decompress(header: FrameHeader, payload: &[u8]) -> Result<Vec<u8>, FrameError> {
    let length = decoded_length(header, payload)?;
    let body = zstd::bulk::decompress(payload, length).map_err(|_| FrameError::Compression)?;
    if body.len() == length {
        Ok(body)
    } else {
        Err(FrameError::Compression)
    }
}
