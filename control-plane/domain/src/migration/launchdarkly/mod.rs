//! The importer of LaunchDarkly: what its REST API v2 tells of a project (`read`, in the shapes of `wire`), in Halyard's terms
//! (`translate`).
//!
//! "As LaunchDarkly answers" means as its server SDKs evaluate for contexts of the kind `user`.

mod read;
mod translate;
mod wire;

pub use self::read::{connect, headers, read, totals};
