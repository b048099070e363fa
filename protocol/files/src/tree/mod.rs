//! Folders of files: which files are read, how they are named, and how they are written.
//!
//! ```text
//! environments.yaml
//! flags/checkout.yaml          folders below these three may be nested
//! segments/beta.json
//! tests/checkout.yaml
//! ```

mod names;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use self::{
    names::file_name,
    read::{File, read},
    write::{Written, write_changed},
};
