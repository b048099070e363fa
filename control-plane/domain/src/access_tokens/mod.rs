//! Access tokens: what programs call the management API with. One acts for the membership that it belongs to, with the rights
//! that the member has at the time of each request, narrowed by its own scope. Its text is shown once; only a hash is stored.

pub mod change;
pub mod input;
pub mod model;
pub mod refused;
pub mod scope;
pub mod store;
