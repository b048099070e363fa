//! Changing the caller's own name.

use serde_json::json;
use time::OffsetDateTime;

use super::{Accounts, model::User, store::users};
use crate::{
    events::{self, Action, Event, Subject},
    members::caller::Caller,
};
use base::refusal::Refusal;

impl Accounts {
    /// Renames the caller's account, for all its organizations. Recorded in each that they have signed in to: its audit log shows
    /// the name of now.
    pub async fn rename(
        &self,
        caller: &Caller,
        name: String,
        now: OffsetDateTime,
    ) -> Result<User, Refusal> {
        let mut tx = self.db.begin().await?;
        let mut user = users::get_for_update(&mut tx, caller.user_id).await?;
        if user.name == name {
            return Ok(user);
        }
        users::update_name(&mut tx, user.id, &name, now).await?;
        let [before, after] = [&user.name, &name].map(|name| json!({"name": name}));
        let subject = Subject::User(user.id);
        for org_id in users::list_joined_orgs(&mut tx, user.id).await? {
            let event = Event::updated(Action::AuthNameChanged, subject, &before, &after);
            events::record(&mut tx, org_id, caller.actor(), event, now).await?;
        }
        tx.commit().await?;
        user.name = name;
        Ok(user)
    }
}
