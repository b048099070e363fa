//! As whom, and for which region, the contents of a generation were received.
//!
//! An environment does not tell its region, so a start that has not heard from the control plane yet cannot pick those
//! that it may serve. It serves all of a generation or nothing of it.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use protocol::wire::codec;
use sha2::{Digest as _, Sha256};

use super::{CacheError, root};

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
    /// Whether everything received under `earlier` may be served under this one. Generations of builds that did not
    /// record it may hold any region.
    pub(super) fn covers(&self, earlier: Option<&Self>) -> bool {
        match earlier {
            Some(earlier) => {
                self.certificate == earlier.certificate
                    && (self.region.is_none() || self.region == earlier.region)
            }
            None => self.region.is_none(),
        }
    }

    /// The origin of a generation; `None` if it was never recorded.
    pub(super) fn read(generation: &Path) -> Result<Option<Self>, CacheError> {
        const DAMAGED: CacheError = CacheError::Damaged("the origin");
        let bytes = match fs::read(generation.join(FILE)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let (bytes, check) = bytes.split_last_chunk::<32>().ok_or(DAMAGED)?;
        if Sha256::digest(bytes)[..] != *check {
            return Err(DAMAGED);
        }
        let (certificate, region) = codec::decode(bytes).map_err(|_| DAMAGED)?;
        Ok(Some(Self {
            certificate,
            region,
        }))
    }

    /// Records it for a generation.
    pub(super) fn write(&self, generation: &Path) -> io::Result<()> {
        let mut bytes = codec::encode(&(self.certificate, self.region.clone()));
        let check = Sha256::digest(&bytes);
        bytes.extend_from_slice(&check);
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
        assert!(all.covers(Some(&all)) && all.covers(Some(&eu)) && all.covers(None));
        assert!(eu.covers(Some(&eu)));
        assert!(!eu.covers(Some(&all)), "narrowed");
        assert!(!eu.covers(Some(&origin(1, Some("us")))), "moved");
        assert!(!eu.covers(None), "never recorded");
        assert!(!all.covers(Some(&origin(2, None))), "another edge");
    }

    #[test]
    fn what_was_recorded_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Origin::read(folder.path()).unwrap(), None);
        for origin in [origin(1, None), origin(2, Some("eu"))] {
            origin.write(folder.path()).unwrap();
            assert_eq!(Origin::read(folder.path()).unwrap(), Some(origin));
        }
        fs::write(folder.path().join(FILE), b"something else").unwrap();
        assert!(Origin::read(folder.path()).unwrap_err().is_final());
    }
}
