//! Settings of publishing and of event streams (`docs/settings.md`).

mod live;
mod publishing;

pub use self::{
    live::LiveSettings,
    publishing::{LookupSettings, PublishSettings, QUIC_NAME},
};
