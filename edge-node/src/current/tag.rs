//! The tag of what is served: different versions or contents have different tags.

use protocol::eval::Environment;

/// Made of the version and the contents: a restored database counts again from an earlier version.
pub(crate) fn configuration_tag(environment: &Environment) -> String {
    let digest = &environment.digest().0[..4];
    format!("{:x}-{}", environment.head().version, hex::encode(digest))
}
