//! `halyard backup` and `halyard restore`: the database in a file, by PostgreSQL's own programs and, encrypted, by `age`.
//!
//! `pg_dump` refuses a server that is newer than itself, and reads everything as of one moment. What it writes goes to the file
//! and through `pg_restore`, which reads all of it: a file that is there under its name can be restored.

mod programs;
mod store;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use base::db::Db;
use secrecy::SecretString;
use tokio::{
    fs::{self, File, OpenOptions},
    io::{self, AsyncReadExt, AsyncWriteExt},
    process::ChildStdin,
};

use self::programs::{Connection, Running, program};
use crate::rotate;

const NOTHING: &str = "nothing was restored";

/// What to write.
#[derive(Debug, clap::Args)]
pub struct Backup {
    /// The file to write, which must not be there
    #[arg(long)]
    out: PathBuf,
    /// Encrypt it for this recipient, by `age`; may be repeated
    #[arg(long)]
    recipient: Vec<String>,
}

/// What to read.
#[derive(Debug, clap::Args)]
pub struct Restore {
    /// A file that `halyard backup` wrote
    file: PathBuf,
    /// Delete everything that the database holds first, in the same transaction
    #[arg(long)]
    replace: bool,
    /// Do not refuse while control planes run: they detect it
    #[arg(long)]
    while_running: bool,
    /// Decrypt it by `age`, with this file of identities
    #[arg(long)]
    identity: Option<PathBuf>,
}

/// Writes a backup under a temporary name, and renames it when it is complete. Returns its size.
///
/// # Errors
/// When a program is missing or fails. No file is left then.
pub async fn back_up(database: &SecretString, backup: &Backup) -> anyhow::Result<u64> {
    let out = &backup.out;
    ensure!(
        !fs::try_exists(out).await?,
        "{} is there already",
        out.display()
    );
    let mut part = out.clone().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600);
    let file = file.open(&part).await;
    let file = file.with_context(|| format!("cannot write {}", part.display()))?;
    let written = async {
        write(database, &backup.recipient, file).await?;
        fs::rename(&part, out).await?;
        Ok(fs::metadata(out).await?.len())
    };
    let written: anyhow::Result<u64> = written.await;
    if written.is_err() {
        fs::remove_file(&part)
            .await
            .context("removing what was written")?;
    }
    written
}

async fn write(database: &SecretString, recipients: &[String], file: File) -> anyhow::Result<()> {
    let connection = Connection::to(database)?;
    let mut dump = program("pg_dump");
    dump.args(["--format=custom", "--no-owner", "--no-privileges"])
        // Of replicas that run now.
        .arg("--no-unlogged-table-data");
    let mut dump = Running::start(connection.give(&mut dump))?;
    let mut check = program("pg_restore");
    let mut check = Running::start(check.arg("--file=/dev/null"))?;
    let mut encryption = match recipients {
        [] => None,
        recipients => {
            let mut age = program("age");
            age.args(recipients.iter().flat_map(|one| ["--recipient", one]));
            age.stdout(file.try_clone().await?.into_std().await);
            Some(Running::start(&mut age)?)
        }
    };
    let mut plain = file;
    let mut checked = Some(check.input()?);
    let mut encrypted = encryption.as_mut().map(Running::input).transpose()?;
    let mut output = dump.output()?;
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let read = output.read(&mut buffer).await?;
        let Some(piece) = buffer.get(..read).filter(|piece| !piece.is_empty()) else {
            break;
        };
        match &mut encrypted {
            Some(encrypted) => encrypted.write_all(piece).await?,
            None => plain.write_all(piece).await?,
        }
        feed(&mut checked, piece).await?;
    }
    dump.end().await?;
    drop((checked, encrypted));
    check.end().await?;
    if let Some(encryption) = encryption {
        encryption.end().await?;
    }
    plain.sync_all().await?;
    Ok(())
}

/// Passes a piece on. A program that wants no more says by its status whether that is an error.
async fn feed(input: &mut Option<ChildStdin>, piece: &[u8]) -> io::Result<()> {
    let Some(open) = input else {
        return Ok(());
    };
    match open.write_all(piece).await {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => *input = None,
        fed => fed?,
    }
    Ok(())
}

/// Restores a backup in one transaction.
///
/// # Errors
/// When the database holds something, control planes run, or a program is missing or fails. Nothing has changed then.
pub async fn restore(database: &SecretString, db: &Db, restore: &Restore) -> anyhow::Result<()> {
    let tables = store::count_tables(&mut *db.acquire().await?).await?;
    if tables > 0 {
        ensure!(
            restore.replace,
            "the database holds {tables} tables: name an empty one, or have all of it deleted by --replace"
        );
        if !restore.while_running {
            rotate::require_none_running(db).await?;
        }
    }
    let connection = Connection::to(database)?;
    let mut archive = program("pg_restore");
    archive.args(["--file=-", "--no-owner", "--no-privileges"]);
    let decryption = match &restore.identity {
        None => {
            archive.arg(&restore.file);
            None
        }
        Some(identity) => {
            let mut running = decrypt(identity, &restore.file)?;
            archive.stdin(running.output_for_another()?);
            Some(running)
        }
    };
    let mut archive = Running::start(&mut archive)?;
    let mut psql = program("psql");
    psql.args(["--no-psqlrc", "--quiet", "--single-transaction"])
        .args(["--set", "ON_ERROR_STOP=1", "--output=/dev/null"]);
    let mut psql = Running::start(connection.give(&mut psql))?;
    let mut input = psql.input()?;
    let copied = async {
        if restore.replace {
            input
                .write_all(b"SET LOCAL client_min_messages = warning; DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC;\n")
                .await?;
        }
        io::copy(&mut archive.output()?, &mut input).await?;
        // Not of the system's own tables, each of which would be warned of.
        input
            .write_all(b"SET LOCAL client_min_messages = error; ANALYZE;\n")
            .await?;
        anyhow::Ok(())
    };
    let copied = copied.await;
    // The end of its input is what commits.
    let read = match decryption {
        None => archive.end().await,
        Some(decryption) => match archive.end().await {
            Ok(()) => decryption.end().await,
            failed => failed,
        },
    };
    if let Err(error) = copied.and(read) {
        psql.kill().await;
        bail!(error.context(NOTHING));
    }
    drop(input);
    psql.end().await.context(NOTHING)
}

fn decrypt(identity: &Path, file: &Path) -> anyhow::Result<Running> {
    let mut age = program("age");
    age.arg("--decrypt")
        .arg("--identity")
        .arg(identity)
        .arg(file);
    Running::start(&mut age)
}
