//! What is compared. Each is given the same flags in its own form, and contexts that are made before the clock runs.

pub mod flagsmith;
pub mod growthbook;
pub mod halyard;
pub mod launchdarkly;
pub mod unleash;
