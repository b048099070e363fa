//! API keys of environments, with which SDKs read. Their text is shown once; only its hash is stored.

pub mod input;
pub mod issue;
pub mod model;
pub mod retire;
pub mod store;
