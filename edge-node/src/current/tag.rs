//! The tag of what is served: another one for everything else that could be.

use protocol::eval::Environment;

/// Of version and contents: a database that was restored counts again from an earlier version.
pub(crate) fn configuration_tag(environment: &Environment) -> String {
    let digest = &environment.digest().0[..4];
    format!("{:x}-{}", environment.head().version, hex::encode(digest))
}
