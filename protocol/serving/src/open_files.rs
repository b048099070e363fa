//! How many files a process may have open: every connection is one, and default limits are far below what a server
//! holds.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit as far as the system allows, and returns it; `None` means that there is no limit.
pub fn raise_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(error) => {
            tracing::debug!(%error, "the limit of open files stays as it is");
            limit.current
        }
    }
}

/// The limit as it is now; `None` means that there is no limit.
#[must_use]
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_to_what_is_allowed() {
        let raised = raise_limit();
        assert_eq!(limit(), raised);
        let limit = getrlimit(Resource::Nofile);
        assert!(limit.current == limit.maximum || limit.maximum.is_none());
    }
}
