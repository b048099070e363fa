//! Settings of the management API (`docs/settings.md`).

mod app;
mod rates;

pub use self::{app::AppSettings, rates::RateSettings};
