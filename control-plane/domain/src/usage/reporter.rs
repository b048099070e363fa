//! The identity of a usage reporter, and its regions.

use fanout::Regions;

#[derive(Clone, Debug)]
pub struct Reporter {
    /// The name in its certificate, under which the numbers of its batches are stored.
    pub(super) edge: String,
    pub(super) regions: Regions,
}

impl Reporter {
    /// An edge that connected with a certificate.
    pub fn joined(name: &str, regions: Regions) -> Self {
        Self {
            edge: name.to_owned(),
            regions,
        }
    }

    /// The edge in this process, without a certificate. No certificate has an empty name.
    pub const fn built_in() -> Self {
        Self {
            edge: String::new(),
            regions: Regions::All,
        }
    }
}
