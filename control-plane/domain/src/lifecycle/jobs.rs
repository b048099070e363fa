//! The background jobs of the lifecycle.

use super::Lifecycle;
use base::jobs::{
    Job,
    RunsOn::{EveryReplica, Leader},
};

impl Lifecycle {
    /// Separate jobs, so that none delays another.
    pub fn jobs(&self) -> [Job; 4] {
        let period = self.settings.interval;
        [
            Job::new(
                "end_trials",
                period,
                Leader,
                self.clone(),
                async |life: Self| life.end_trials().await,
            )
            .meanwhile("ends of trials are not stored or announced, but they count"),
            Job::new(
                "retire_inactive",
                period,
                Leader,
                self.clone(),
                async |life: Self| life.retire_inactive().await,
            )
            .meanwhile("inactive organizations are neither warned nor deleted"),
            // On the replica that an owner asked, which need not be the leader: edges stop within seconds.
            Job::new(
                "withdraw_organizations",
                period,
                EveryReplica,
                self.clone(),
                async |life: Self| life.withdraw_organizations().await,
            )
            .woken_by(&self.deletions)
            .meanwhile("edges serve flags of organizations that are being deleted"),
            Job::new(
                "purge_organizations",
                period,
                Leader,
                self.clone(),
                async |life: Self| life.purge_organizations().await,
            )
            .woken_by(&self.deletions)
            .meanwhile("organizations that are being deleted are kept for longer"),
        ]
    }
}
