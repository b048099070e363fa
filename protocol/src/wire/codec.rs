//! The only file that names bincode. Leaving it costs this file (`ARCHITECTURE.md`, "bincode, isolated").

pub use bincode::{Decode, Encode};
