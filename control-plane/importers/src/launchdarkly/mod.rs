//! LaunchDarkly: what its REST API v2 sends of a project (`wire`), in Halyard's terms (`translate`).
//!
//! "As LaunchDarkly answers" means as its server SDKs evaluate for contexts of the kind `user`.

mod translate;
pub mod wire;

pub use self::translate::translate;
