//! `halyard org`. Each returns the text to print.

mod show;
mod store;

use std::{borrow::Cow, fmt::Write, sync::Arc, time::Duration};

use clap::{Subcommand, ValueEnum};
use serving::clock::Clock;
use time::OffsetDateTime;
use uuid::Uuid;

use self::store::Listed;
use base::{
    config::UrlSettings,
    db::{self, Db},
    ids::OrgId,
    input::proper_name,
    mail::Mailer,
    operator::{date, date_or_dash},
    refusal::Refusal,
};
use domain::{
    accounts::email::Email,
    lifecycle::{Lifecycle, settings::LifecycleSettings},
    orgs::{
        change::{PlanSet, set_plan_as_operator},
        model::{Organization, Plan},
        operate::{Operation, operate},
    },
    sign_in::input::parse_domain,
};

const NO_DOMAIN: Refusal =
    Refusal::Invalid(Cow::Borrowed("domain must be a name such as example.com"));

/// What to do with organizations.
#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// List organizations in the order of their creation.
    List {
        /// How many at most.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
        /// Only those that follow this id, which the list before ended with.
        #[arg(long)]
        after: Option<Uuid>,
        /// Only those on this plan.
        #[arg(long)]
        plan: Option<PlanName>,
    },
    /// Show an organization: its plan, what it uses, and when it is deleted if nobody signs in.
    Show {
        /// Id, or slug if it is no id.
        org: String,
    },
    /// Set what an organization may use.
    SetPlan {
        /// Id, or slug if it is no id.
        org: String,
        /// A trial that has ended begins anew.
        plan: PlanName,
    },
    /// Give an organization another name. Its slug stays.
    Rename {
        /// Id, or slug if it is no id.
        org: String,
        name: String,
    },
    /// Make a member an owner.
    SetOwner {
        /// Id, or slug if it is no id.
        org: String,
        /// The member's address.
        email: Email,
    },
    /// Vouch that a domain is the organization's, so that its sign-in providers may vouch for addresses there.
    ProveDomain {
        /// Id, or slug if it is no id.
        org: String,
        /// Such as example.com.
        domain: String,
    },
    /// Begin the permanent deletion of an organization, which nothing undoes.
    Delete {
        /// Id, or slug if it is no id.
        org: String,
        /// Its name, as a confirmation.
        #[arg(long)]
        name: String,
    },
}

/// A plan, as it is written on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PlanName {
    Trial,
    Free,
    Pro,
    Enterprise,
}

impl From<PlanName> for Plan {
    fn from(name: PlanName) -> Self {
        match name {
            PlanName::Trial => Self::Trial,
            PlanName::Free => Self::Free,
            PlanName::Pro => Self::Pro,
            PlanName::Enterprise => Self::Enterprise,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("no organization has the id or slug `{0}`")]
    Unknown(String),
}

/// The settings of the commands.
pub struct CommandSettings {
    pub trial_length: Duration,
    pub lifecycle: LifecycleSettings,
    /// For the mail about a deletion alone.
    pub mailing: Option<Mailing>,
}

/// How mail about a deletion is written, and the operator's address in it.
pub struct Mailing {
    pub mailer: Mailer,
    pub urls: Arc<UrlSettings>,
    pub address: String,
}

/// Runs a command and returns the text to print.
pub async fn run(
    command: OrgCommand,
    db: &Db,
    settings: &CommandSettings,
    clock: &Clock,
) -> Result<String, CommandError> {
    let now = clock.now();
    match command {
        OrgCommand::List { limit, after, plan } => {
            let mut conn = db.acquire().await?;
            let after = OrgId(after.unwrap_or(Uuid::nil()));
            let plan = plan.map(Plan::from);
            Ok(table(
                &store::list(&mut conn, plan, after, limit, now).await?,
                now,
            ))
        }
        OrgCommand::Show { org } => {
            let mut tx = db.begin_reading().await?;
            let shown = show::show(&mut tx, &org, &settings.lifecycle, now).await?;
            shown.ok_or(CommandError::Unknown(org))
        }
        OrgCommand::SetPlan { org, plan } => {
            let set = set_plan_as_operator(db, clock, &org, plan.into(), settings.trial_length);
            let set = set.await?.ok_or(CommandError::Unknown(org))?;
            Ok(described(&set))
        }
        OrgCommand::Rename { org, name } => {
            let name = proper_name("name", Some(name)).map_err(Refusal::from)?;
            changed(db, clock, org, Operation::Rename(name)).await
        }
        OrgCommand::SetOwner { org, email } => {
            changed(db, clock, org, Operation::SetOwner(email)).await
        }
        OrgCommand::ProveDomain { org, domain } => {
            let domain = parse_domain(&domain).ok_or(CommandError::Refused(NO_DOMAIN))?;
            changed(db, clock, org, Operation::ProveDomain(domain)).await
        }
        OrgCommand::Delete { org, name } => {
            let mailing = settings.mailing.as_ref().expect("read for this command");
            let (mailer, urls) = (mailing.mailer.clone(), Arc::clone(&mailing.urls));
            let lifecycle =
                Lifecycle::new(db.clone(), clock.clone(), mailer, urls, settings.lifecycle);
            let by = ("the operator", mailing.address.as_str());
            let deleted = lifecycle.delete_as_operator(&org, &name, by).await?;
            let deleted = deleted.ok_or(CommandError::Unknown(org))?;
            let (slug, id) = (deleted.slug, deleted.id);
            Ok(format!("{slug} ({id}) is being deleted for good\n"))
        }
    }
}

async fn changed(
    db: &Db,
    clock: &Clock,
    org: String,
    operation: Operation,
) -> Result<String, CommandError> {
    let done = operate(db, clock, &org, operation).await?;
    let Organization { slug, id, name, .. } = done.ok_or(CommandError::Unknown(org))?;
    Ok(format!("{slug} ({id}, {name}) is changed\n"))
}

/// The result in one line.
fn described(set: &PlanSet) -> String {
    let PlanSet { org, before } = set;
    let (before, after) = (before.as_str(), org.plan.as_str());
    let change = if before == after {
        format!("stays on {after}")
    } else {
        format!("was on {before} and is on {after} now")
    };
    let until = org
        .trial_expires_at
        .filter(|_| org.plan == Plan::Trial)
        .map_or_else(String::new, |end| format!(", until {}", date(end)));
    format!("{} ({}) {change}{until}\n", org.slug, org.id)
}

fn table(orgs: &[Listed], now: OffsetDateTime) -> String {
    let mut text = String::new();
    let mut row = |cells: [&str; 6]| {
        let [id, slug, plan, created, last_login, deleted] = cells;
        let line =
            format!("{id:<36} {slug:<30} {plan:<10} {created:<20} {last_login:<20} {deleted}");
        writeln!(text, "{}", line.trim_end()).expect("writing to a string cannot fail");
    };
    row(["ID", "SLUG", "PLAN", "CREATED", "LAST LOGIN", "DELETED"]);
    for org in orgs {
        row([
            &org.id.to_string(),
            &org.slug,
            org.plan.at(org.trial_expires_at, now).as_str(),
            &date(org.created_at),
            &date_or_dash(org.last_login_at),
            &date_or_dash(org.deleted_at),
        ]);
    }
    text
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn the_table_shows_a_row_for_each_organization() {
        let listed = |slug: &str, plan, deleted_at| Listed {
            id: OrgId(Uuid::nil()),
            slug: slug.to_owned(),
            plan,
            trial_expires_at: Some(datetime!(2026-05-18 12:00 UTC)),
            created_at: datetime!(2026-05-04 12:00 UTC),
            last_login_at: Some(datetime!(2026-05-05 12:00 UTC)),
            deleted_at,
        };
        let acme = listed("acme", Plan::Trial, None);
        let globex = Listed {
            last_login_at: None,
            ..listed("globex", Plan::Free, Some(datetime!(2026-08-10 12:00 UTC)))
        };
        let expected = "\
ID                                   SLUG                           PLAN       CREATED              LAST LOGIN           DELETED
00000000-0000-0000-0000-000000000000 acme                           trial      2026-05-04T12:00:00Z 2026-05-05T12:00:00Z -
00000000-0000-0000-0000-000000000000 globex                         free       2026-05-04T12:00:00Z -                    2026-08-10T12:00:00Z
";
        let now = datetime!(2026-05-06 12:00 UTC);
        assert_eq!(table(&[acme, globex], now), expected);
    }
}
