//! `halyard account`. Returns the text to print.

mod show;
mod store;

use std::fmt::Write;

use clap::{Args, Subcommand};
use serving::clock::Clock;
use time::OffsetDateTime;

use base::{db::Db, operator::date, refusal::Refusal};
use domain::{
    accounts::{
        Accounts, RawRegistration, Registration, email::Email, open::Opened, operate::Operation,
        password,
    },
    orgs::model::Plan,
};

/// What to do with accounts.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Open an account, also where sign-up is closed
    Create(NewAccount),
    /// Show an account: what keeps its holder out, and where it belongs to
    Show(Holder),
    /// Remove the second factor and its backup codes, so that the password is enough
    ResetSecondFactor(Holder),
    /// Forget failed logins, which ends a lock
    Unlock(Holder),
    /// End all its sessions, everywhere
    SignOut(Holder),
    /// Give it another address, which counts as proven
    SetEmail {
        /// The address of now
        email: Email,
        /// The other one
        new: Email,
    },
}

/// Whose account it is.
#[derive(Debug, Args)]
pub struct Holder {
    /// The address of the account
    pub email: Email,
}

/// An account to be opened.
#[derive(Debug, Args)]
pub struct NewAccount {
    /// The address to sign in with. It counts as proven
    #[arg(long)]
    pub email: String,
    /// Name of whoever holds it
    #[arg(long)]
    pub name: String,
    /// Name of an organization to be made for them; needed unless one has invited the address
    #[arg(long)]
    pub org_name: Option<String>,
    /// Where the data of that organization lives; the first of `DATA_REGIONS` when absent
    #[arg(long, requires = "org_name")]
    pub data_region: Option<String>,
    /// Take the password from the first line of standard input, instead of making one and printing it
    #[arg(long)]
    pub password_stdin: bool,
}

/// Runs a command, with the password that was given, if any; `api` is where one signs in.
///
/// # Errors
/// What a sign-up with the same fields is refused for.
pub async fn run(
    command: AccountCommand,
    given: Option<String>,
    db: &Db,
    accounts: &Accounts,
    api: &str,
    clock: &Clock,
) -> Result<String, Refusal> {
    let now = clock.now();
    let (Holder { email }, operation, done) = match command {
        AccountCommand::Create(new) => return create(new, given, accounts, api, now).await,
        AccountCommand::Show(Holder { email }) => return show::show(db, &email, now).await,
        AccountCommand::ResetSecondFactor(of) => {
            (of, Operation::ResetSecondFactor, "has no second factor now")
        }
        AccountCommand::Unlock(of) => (of, Operation::Unlock, "may sign in again"),
        AccountCommand::SignOut(of) => (of, Operation::SignOut, "is signed out everywhere"),
        AccountCommand::SetEmail { email, new } => (
            Holder { email },
            Operation::SetEmail(new),
            "is the address of the account now",
        ),
    };
    let user = accounts.operate(&email, &operation, now).await?;
    Ok(format!("{} {done}\n", user.email))
}

async fn create(
    new: NewAccount,
    given: Option<String>,
    accounts: &Accounts,
    api: &str,
    now: OffsetDateTime,
) -> Result<String, Refusal> {
    let (password, made) = match given {
        Some(password) => (password, None),
        None => {
            let made = password::generate();
            (made.clone(), Some(made))
        }
    };
    let registration = RawRegistration {
        email: Some(new.email),
        password: Some(password),
        name: Some(new.name),
        org_name: new.org_name,
        data_region: new.data_region,
    };
    let registration = Registration::check(registration, accounts.settings())?;
    let opened = accounts.open(registration, now).await?;
    Ok(lines(&opened, made.as_deref(), api))
}

fn lines(opened: &Opened, made: Option<&str>, api: &str) -> String {
    let Opened { user, organization } = opened;
    let until = organization
        .trial_expires_at
        .filter(|_| organization.plan == Plan::Trial)
        .map_or_else(String::new, |end| format!(", until {}", date(end)));
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        writeln!(text, "{name:<14}{value}").expect("writing to a string cannot fail");
    };
    line("email", &user.email);
    line(
        "organization",
        &format!(
            "{} ({}), on {}{until}",
            organization.slug,
            organization.id,
            organization.plan.as_str()
        ),
    );
    if let Some(password) = made {
        line("password", &format!("{password}   (not shown again)"));
    }
    line("sign in", &format!("POST {api}/v1/auth/login"));
    text
}
