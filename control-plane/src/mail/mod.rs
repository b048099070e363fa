//! Mail that leaves: rendered and put into a table by whoever has something to say, in the transaction that it is about;
//! sent by background loops, so that no request ever waits for a mail server.
//!
//! What is in the table is sealed, since codes and links wait in it, and gone once it is sent or given up.

mod files;
mod mailer;
mod message;
mod render;
mod retry;
mod sender;
mod store;
mod template;
mod transport;

pub use mailer::Mailer;
pub use sender::Sender;
pub use template::Template;
pub use transport::StartError;
