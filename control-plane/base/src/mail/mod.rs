//! Outgoing mail: rendered and put into a table in the transaction that it is about; sent by background loops, so that
//! no request ever waits for a mail server.
//!
//! The contents of the table are sealed, since they include codes and links, and are deleted once an email is sent or
//! given up.

mod files;
mod invitation;
mod kinds;
mod mailer;
mod message;
mod names;
mod render;
mod retry;
mod room;
mod sender;
mod store;
mod template;
mod transport;

pub(crate) use kinds::KINDS;
pub use mailer::{Cause, MailToMember, Mailer, delete_waiting, forget_counts};
pub use message::is_reachable;
pub use sender::Sender;
pub use store::{Queued, list_sealed, list_waiting, make_due, update_sealed};
pub use template::{InvitationWay, Requested, RequestedOf, Template, Welcomed};
pub use transport::StartError;
