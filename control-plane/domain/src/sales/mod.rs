//! Sales inquiries: stored, and mailed to the sales team. They belong to no organization.

pub mod model;
pub mod settings;
mod store;

use time::OffsetDateTime;

use self::{model::Inquiry, settings::SalesSettings};
use base::{
    db::{self, Db},
    mail::{Mailer, Template},
};

/// Stores an inquiry and, if an address is configured, enqueues its mail in the same transaction.
pub async fn receive(
    db: &Db,
    mailer: &Mailer,
    settings: &SalesSettings,
    inquiry: &Inquiry,
    now: OffsetDateTime,
) -> db::Result<()> {
    let mut tx = db.begin().await?;
    store::insert(&mut tx, inquiry, now).await?;
    if let Some(notify) = &settings.notify {
        let mail = Template::SalesInquiry {
            contact_name: &inquiry.contact_name,
            email: inquiry.email.as_str(),
            company: &inquiry.company,
            team_size: &inquiry.team_size,
            message: &inquiry.message,
        };
        mailer.enqueue(&mut tx, notify.as_str(), &mail, now).await?;
    }
    tx.commit().await
}
