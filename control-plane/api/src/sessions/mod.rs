//! The endpoints of sessions: those of pages, which use a cookie, and the list of the caller's own.

mod cookie;
mod own;
mod own_page;
mod page;

pub(crate) use self::cookie::NAME as COOKIE;
pub use self::{own::router, page::router as page_router};
