//! The only file that names bincode, so that replacing it costs only this file.
//!
//! Fixed-width little-endian numbers, 64-bit lengths, 32-bit enum tags: this is the legacy configuration, whose bytes a
//! maintained successor writes as well. The limit makes hostile input harmless: bincode reserves room for as many
//! elements as a length claims before it has seen the first, so that without a limit a false length aborts the process.

use bincode::config::{self, Config};
pub use bincode::{Decode, Encode};
pub(crate) use bincode::{
    de::Decoder,
    enc::Encoder,
    error::{DecodeError as DecodeFault, EncodeError as EncodeFault},
    impl_borrow_decode,
};

/// Bytes of memory that decoding may claim: a little more than the largest environment needs.
const LIMIT: usize = 64 << 20;

/// Inputs up to this size are decoded under [`SMALL_LIMIT`], so that a few hostile bytes cannot reserve much memory.
const SMALL_INPUT: usize = 64 << 10;

/// An element takes at most eight times as much memory as on the wire; this allows twice that.
const SMALL_LIMIT: usize = 16 * SMALL_INPUT;

/// The bytes are not a message of the expected type.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Too short, a false tag, length or text, or beyond the limit.
    #[error("malformed message")]
    Malformed(#[source] Box<bincode::error::DecodeError>),
    /// A valid message, followed by something else.
    #[error("{0} bytes after the end of the message")]
    Trailing(usize),
}

/// Encodes a value. Equal values give equal bytes.
pub fn encode<T: Encode>(value: &T) -> Vec<u8> {
    bincode::encode_to_vec(value, configuration::<LIMIT>()).expect(
        "derived encoders over owned data do not fail, and a vector takes any number of bytes",
    )
}

/// Decodes a value that fills `bytes` exactly.
///
/// # Errors
/// When the bytes are not a `T`, or others follow it.
pub fn decode<T: Decode<()>>(bytes: &[u8]) -> Result<T, DecodeError> {
    let decoded = if bytes.len() <= SMALL_INPUT {
        bincode::decode_from_slice(bytes, configuration::<SMALL_LIMIT>())
    } else {
        bincode::decode_from_slice(bytes, configuration::<LIMIT>())
    };
    let (value, read) = decoded.map_err(|error| DecodeError::Malformed(Box::new(error)))?;
    match bytes.len() - read {
        0 => Ok(value),
        rest => Err(DecodeError::Trailing(rest)),
    }
}

const fn configuration<const LIMIT: usize>() -> impl Config {
    config::legacy().with_limit::<LIMIT>()
}
