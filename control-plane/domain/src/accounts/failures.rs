//! Consequences of a wrong password or code: it is counted, and recorded for the account concerned.
//!
//! Counting costs the same for every address. The audit entry and the mail depend on the account, so they are written after the
//! answer, where the caller cannot measure them.

use std::{net::IpAddr, time::Duration};

use time::OffsetDateTime;

use super::{Accounts, lockout::Counted, model::User};
use crate::{
    events::{self, Action, Actor, Event, Subject},
    members,
};
use base::{
    config::Page,
    db::{self, Db},
    mail::{Mailer, Template},
    refusal::Refusal,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Login,
    MfaDisable,
    PasswordChange,
    Confirmation,
}

pub(super) enum Failed {
    /// A wrong password or code, which counts.
    Guess(Refusal),
    Otherwise(Refusal),
}

impl<E: Into<Refusal>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self::Otherwise(error.into())
    }
}

impl Accounts {
    /// Counts a wrong guess for an address. If it has an account, a failed login or a lock is written to the audit log of the
    /// organization that it would sign in to, and a lock is mailed to the user. Returns the refusal of the attempt, or of
    /// concurrent ones that have locked the address.
    pub(super) async fn count_guess<T>(
        &self,
        failure: Failure,
        attempt: Result<T, Failed>,
        email: &str,
        account: Option<User>,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<T, Refusal> {
        let refusal = match attempt {
            Ok(proved) => return Ok(proved),
            Err(Failed::Otherwise(refusal)) => return Err(refusal),
            Err(Failed::Guess(refusal)) => refusal,
        };
        let counted = self.lockout.count(email, now).await?;
        // Counted first, so that no guess is free. Whether there is capacity does not depend on the account either.
        let Ok(later) = self.after_sign_ins.later(ip).await else {
            metrics::counter!("halyard_failed_logins_untold_total").increment(1);
            tracing::warn!("there is too much to do; a failed login is counted and not recorded");
            return Err(refusal);
        };
        if let Some(user) = account {
            let report = Report {
                failure,
                counted,
                user,
                ip,
                locked_for: self.lockout.window(),
                reset_link: self.urls.page(Page::ForgotPassword),
            };
            later.run(report.write(self.db.clone(), self.mailer.clone(), now));
        }
        Err(refusal)
    }
}

struct Report {
    failure: Failure,
    counted: Counted,
    user: User,
    ip: IpAddr,
    locked_for: Duration,
    reset_link: String,
}

impl Report {
    async fn write(self, db: Db, mailer: Mailer, now: OffsetDateTime) {
        if let Err(error) = self.record(&db, &mailer, now).await {
            let error = serving::error::chain(&error);
            tracing::error!(error, user.id = %self.user.id, "a failed login was not recorded");
        }
    }

    async fn record(&self, db: &Db, mailer: &Mailer, now: OffsetDateTime) -> db::Result<()> {
        let mut tx = db.begin().await?;
        let user_id = self.user.id;
        let Some(member) = members::store::find_for_login(&mut tx, user_id, None).await? else {
            return Ok(());
        };
        let (org_id, actor) = (member.org_id, Actor::user(user_id, self.ip));
        let event = |action| Event::new(action, Subject::User(user_id));
        if self.failure == Failure::Login {
            let failed = event(Action::AuthLoginFailed);
            events::record(&mut tx, org_id, actor, failed, now).await?;
        }
        if self.counted == Counted::LockedNow {
            let locked = event(Action::AuthLocked);
            events::record(&mut tx, org_id, actor, locked, now).await?;
            let notice = Template::LockoutNotice {
                name: &self.user.name,
                locked_for: self.locked_for,
                link: &self.reset_link,
            };
            mailer
                .enqueue(&mut tx, &self.user.email, &notice, now)
                .await?;
        }
        tx.commit().await
    }
}
