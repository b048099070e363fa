//! Settings of the management API (`docs/settings.md`).

mod app;
mod fleet;
mod rates;

pub use self::{app::AppSettings, fleet::FleetSettings, rates::RateSettings};
