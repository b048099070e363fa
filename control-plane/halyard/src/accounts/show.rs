//! `halyard account show`: one account, as lines of text.

use std::fmt::Write;

use time::OffsetDateTime;

use super::store;
use base::{
    db::Db,
    operator::{date, date_or_dash},
    refusal::Refusal,
};
use domain::accounts::{email::Email, operate::UNKNOWN};

pub(super) async fn show(db: &Db, email: &Email, now: OffsetDateTime) -> Result<String, Refusal> {
    let mut conn = db.begin_reading().await?;
    let found = store::find(&mut conn, email, now).await?.ok_or(UNKNOWN)?;
    let memberships = store::memberships(&mut conn, found.id).await?;
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        writeln!(text, "{name:<14}{value}").expect("writing to a string cannot fail");
    };
    let yes_or_no = |is_so: bool| if is_so { "yes" } else { "no" };
    line("id", &found.id.to_string());
    line("name", &found.name);
    line("email", email.as_str());
    line("proven", yes_or_no(found.email_verified));
    line("password", yes_or_no(found.has_password));
    line("created", &date(found.created_at));
    line("second factor", &date_or_dash(found.second_factor_at));
    let failed = found.failed_logins;
    let last = found.last_failed_at.map(date);
    let last = last.map_or_else(String::new, |last| format!(", the last {last}"));
    line("failed logins", &format!("{failed}{last}"));
    line("sessions", &found.sessions.to_string());
    for member in memberships {
        let login = date_or_dash(member.last_login_at);
        let (slug, id, role) = (&member.slug, member.org_id, member.role.as_str());
        line(
            "member of",
            &format!("{slug} ({id}), {role}, last login {login}"),
        );
    }
    Ok(text)
}
