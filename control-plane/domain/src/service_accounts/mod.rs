//! Service accounts: members that no person signs in as. They have a role, a custom role and environment permissions as any
//! member, take no seat, and are used by access tokens alone.

pub mod change;
pub mod input;
pub mod model;
pub mod store;
