//! As whom, and for which region, the contents of a generation were received.
//!
//! An environment does not have its region, so a start without a greeting cannot pick those
//! that it may serve. It serves all of a generation or nothing of it.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use super::{CacheError, record, root};

const FILE: &str = "origin";

/// The identity and the region with which an edge connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// SHA-256 of the edge's certificate.
    pub(crate) certificate: [u8; 32],
    /// `EDGE_REGION`; without it, all regions of the certificate.
    pub(crate) region: Option<String>,
}

impl Origin {
    /// Whether everything received under `earlier` may be served under this one.
    pub(super) fn covers(&self, earlier: &Self) -> bool {
        self.certificate == earlier.certificate
            && (self.region.is_none() || self.region == earlier.region)
    }

    /// The origin of a generation.
    pub(super) fn read(generation: &Path) -> Result<Self, CacheError> {
        let bytes = match fs::read(generation.join(FILE)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let (certificate, region) = record::decode(&bytes, "the origin")?;
        Ok(Self {
            certificate,
            region,
        })
    }

    /// Records it for a generation.
    pub(super) fn write(&self, generation: &Path) -> io::Result<()> {
        let bytes = record::encode(&(self.certificate, self.region.clone()));
        root::replace_file(&generation.join(FILE), &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(certificate: u8, region: Option<&str>) -> Origin {
        Origin {
            certificate: [certificate; 32],
            region: region.map(str::to_owned),
        }
    }

    #[test]
    fn what_may_be_served_is_what_was_received_for_no_more() {
        let all = origin(1, None);
        let eu = origin(1, Some("eu"));
        assert!(all.covers(&all) && all.covers(&eu));
        assert!(eu.covers(&eu));
        assert!(!eu.covers(&all), "narrowed");
        assert!(!eu.covers(&origin(1, Some("us"))), "moved");
        assert!(!all.covers(&origin(2, None)), "another edge");
    }

    #[test]
    fn what_was_recorded_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Origin::read(folder.path()).unwrap_err().is_final());
        for origin in [origin(1, None), origin(2, Some("eu"))] {
            origin.write(folder.path()).unwrap();
            assert_eq!(Origin::read(folder.path()).unwrap(), origin);
        }
        fs::write(folder.path().join(FILE), b"something else").unwrap();
        assert!(Origin::read(folder.path()).unwrap_err().is_final());
    }
}
