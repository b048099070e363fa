//! Sizes of compiled things.

use protocol::wire::codec;

/// The encoded size of a part of a compiled environment, in bytes.
///
/// # Panics
///
/// From 2 GiB on, which nothing that passed the checks reaches.
pub fn compiled_size(part: &impl codec::Encode) -> i32 {
    i32::try_from(codec::encode(part).len())
        .expect("what one request body holds stays far under 2 GiB")
}
