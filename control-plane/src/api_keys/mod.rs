//! API keys of environments: what SDKs read with. Their text is shown once; only its hash is kept.

pub mod input;
pub mod issue;
pub mod model;
pub mod routes;
pub mod store;
