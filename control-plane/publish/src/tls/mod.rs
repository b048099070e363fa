//! Certificates of the link's own authority.

mod authority;
mod request;
mod store;

pub use self::store::{list_sealed, update_sealed};
pub use self::{
    authority::{Authority, AuthorityError, EdgeIdentity, IssuedCertificate},
    request::{RequestError, RequestedKey},
};
