//! Mail that leaves: rendered and put into a table by whoever has something to say, in the transaction that it is about;
//! sent by background loops, so that no request ever waits for a mail server.
//!
//! What is in the table is sealed, since codes and links wait in it, and gone once it is sent.

mod mailer;
mod render;
mod store;
mod template;

pub use mailer::Mailer;
pub use template::Template;
