//! SQL of usage, a file or two per table. Environments and organizations are also read here, to find the owners of usage.

pub mod counters;
pub(super) mod defaults;
pub mod impressions;
pub(super) mod lately;
pub(super) mod reports;
pub(super) mod series;
pub(super) mod shown;
pub mod windows;

use base::ids::{EnvId, OrgId};

/// An environment that is gone, with its organization.
pub(super) struct Removed {
    pub(super) org_id: OrgId,
    pub(super) env_id: EnvId,
}
