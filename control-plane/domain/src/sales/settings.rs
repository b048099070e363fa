//! Settings of the notification of sales inquiries.

use serving::settings::Reader;

use crate::accounts::email::Email;

/// Inquiries are stored in any case.
#[derive(Clone, Debug)]
pub struct SalesSettings {
    /// `SALES_NOTIFY_EMAIL`: the address they are mailed to; default none.
    pub notify: Option<Email>,
}

impl SalesSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            notify: reader.parse_optional("SALES_NOTIFY_EMAIL"),
        }
    }
}
