//! SQL of users. They belong to no tenant; memberships do.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::accounts::{email::Email, model::User};
use base::{
    db,
    ids::{OrgId, UserId},
    refusal::Refusal,
};

pub struct Credentials {
    pub user: User,
    /// PHC string; `None` if the account cannot sign in by password.
    pub password_hash: Option<String>,
    /// Whether the password was set with a code mailed to the address.
    pub password_proven: bool,
}

pub(super) struct Row {
    pub(super) id: UserId,
    pub(super) email: String,
    pub(super) name: String,
    pub(super) email_verified: bool,
    pub(super) created_at: OffsetDateTime,
    pub(super) password_hash: Option<String>,
    pub(super) password_proven: bool,
}

impl From<Row> for Credentials {
    fn from(row: Row) -> Self {
        Self {
            user: User {
                id: row.id,
                email: row.email,
                name: row.name,
                email_verified: row.email_verified,
                created_at: row.created_at,
            },
            password_hash: row.password_hash,
            password_proven: row.password_proven,
        }
    }
}

/// Stores a new user with an unproven password, unless the address has an account.
pub async fn insert(
    conn: &mut PgConnection,
    user: &User,
    password_hash: &str,
) -> Result<(), Refusal> {
    sqlx::query!(
        "INSERT INTO users (id, email, name, password_hash, email_verified, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
        user.id as UserId,
        user.email,
        user.name,
        password_hash,
        user.email_verified,
        user.created_at,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "users_email_key",
        "email already registered",
    ))?;
    Ok(())
}

pub async fn find_credentials(
    conn: &mut PgConnection,
    email: &Email,
) -> db::Result<Option<Credentials>> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id, email AS "email!", name, email_verified, created_at, password_hash, password_proven
         FROM users
         WHERE email = $1"#,
        email.as_str(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// Only of accounts with an address: others cannot sign in.
pub async fn find_credentials_of(
    conn: &mut PgConnection,
    id: UserId,
) -> db::Result<Option<Credentials>> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id, email AS "email!", name, email_verified, created_at, password_hash, password_proven
         FROM users
         WHERE id = $1 AND email IS NOT NULL"#,
        id as UserId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// The hash of a user's password, locked against changes until the end of the transaction. `None` if there is no such user or
/// no password.
pub async fn find_hash_for_share(
    conn: &mut PgConnection,
    id: UserId,
) -> db::Result<Option<String>> {
    let found = sqlx::query_scalar!(
        "SELECT password_hash FROM users WHERE id = $1 FOR SHARE",
        id as UserId
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.flatten())
}

/// Replaces the hash of an unchanged password. Does nothing if the password has changed.
pub async fn update_outdated_hash(
    conn: &mut PgConnection,
    id: UserId,
    outdated: &str,
    password_hash: &str,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2",
        id as UserId,
        outdated,
        password_hash,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A user who signed in, and therefore has an address. An error if there is no such user.
pub async fn get(conn: &mut PgConnection, id: UserId) -> db::Result<User> {
    Ok(sqlx::query_as!(
        User,
        r#"SELECT id, COALESCE(email, '') AS "email!", name, email_verified, created_at FROM users WHERE id = $1"#,
        id as UserId,
    )
    .fetch_one(conn)
    .await?)
}

/// The address of a user who signed in. An error if there is no such user.
pub async fn get_email(conn: &mut PgConnection, id: UserId) -> db::Result<String> {
    Ok(sqlx::query_scalar!(
        r#"SELECT email AS "email!" FROM users WHERE id = $1"#,
        id as UserId
    )
    .fetch_one(conn)
    .await?)
}

/// Whether the user's address is proven. `false` if there is no such user.
pub async fn is_verified(conn: &mut PgConnection, id: UserId) -> db::Result<bool> {
    let verified = sqlx::query_scalar!(
        "SELECT email_verified FROM users WHERE id = $1",
        id as UserId
    )
    .fetch_optional(conn)
    .await?;
    Ok(verified.unwrap_or(false))
}

/// Whether the user's password is proven, locked until the end of the transaction. `false` if there is no such user.
pub async fn is_password_proven(conn: &mut PgConnection, id: UserId) -> db::Result<bool> {
    let proven = sqlx::query_scalar!(
        "SELECT password_proven FROM users WHERE id = $1 FOR SHARE",
        id as UserId
    )
    .fetch_optional(conn)
    .await?;
    Ok(proven.unwrap_or(false))
}

/// The address of an account. `None` without an address or an account.
pub async fn find_email(conn: &mut PgConnection, id: UserId) -> db::Result<Option<Option<String>>> {
    Ok(
        sqlx::query_scalar!("SELECT email FROM users WHERE id = $1", id as UserId)
            .fetch_optional(conn)
            .await?,
    )
}

/// A user who signed in, locked until the end of the transaction. An error if there is no such user.
pub async fn get_for_update(conn: &mut PgConnection, id: UserId) -> db::Result<User> {
    Ok(sqlx::query_as!(
        User,
        r#"SELECT id, email AS "email!", name, email_verified, created_at
         FROM users
         WHERE id = $1
         FOR NO KEY UPDATE"#,
        id as UserId,
    )
    .fetch_one(conn)
    .await?)
}

/// Marks the user's address as proven. `false` if it already was.
pub async fn update_verified(
    conn: &mut PgConnection,
    id: UserId,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let updated = sqlx::query!(
        "UPDATE users SET email_verified = true, updated_at = $2 WHERE id = $1 AND NOT email_verified",
        id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(updated.rows_affected() == 1)
}

/// Sets a password with a code, which proves it. Returns whether the previous one was proven.
pub async fn update_password(
    conn: &mut PgConnection,
    id: UserId,
    password_hash: &str,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let was_proven = sqlx::query_scalar!(
        "WITH before AS (SELECT password_proven FROM users WHERE id = $1 FOR NO KEY UPDATE)
         UPDATE users
         SET password_hash = $2, password_proven = true, updated_at = $3
         FROM before
         WHERE id = $1
         RETURNING before.password_proven",
        id as UserId,
        password_hash,
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(was_proven.unwrap_or(true))
}

/// Replaces a password that is still the one with the hash `former`; `false` if it is not. Proves nothing about the address.
pub async fn replace_password(
    conn: &mut PgConnection,
    id: UserId,
    former: &str,
    password_hash: &str,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let replaced = sqlx::query!(
        "UPDATE users SET password_hash = $3, updated_at = $4 WHERE id = $1 AND password_hash = $2",
        id as UserId,
        former,
        password_hash,
        now,
    )
    .execute(conn)
    .await?;
    Ok(replaced.rows_affected() == 1)
}

/// The organizations that a user has signed in to, by id: in this order they are locked. Not tenant-scoped.
pub async fn list_joined_orgs(conn: &mut PgConnection, id: UserId) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT org_id AS "org_id: OrgId" FROM members
           WHERE user_id = $1 AND known_as IS NULL AND NOT awaits_proof AND last_login_at IS NOT NULL
           ORDER BY org_id"#,
        id as UserId,
    )
    .fetch_all(conn)
    .await?)
}

pub async fn update_name(
    conn: &mut PgConnection,
    id: UserId,
    name: &str,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE users SET name = $2, updated_at = $3 WHERE id = $1",
        id as UserId,
        name,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Gives an account another address, which is proven.
pub async fn update_email(
    conn: &mut PgConnection,
    id: UserId,
    email: &Email,
    now: OffsetDateTime,
) -> Result<(), Refusal> {
    sqlx::query!(
        "UPDATE users SET email = $2, email_verified = true, updated_at = $3 WHERE id = $1",
        id as UserId,
        email.as_str(),
        now,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "users_email_key",
        "email already registered",
    ))?;
    Ok(())
}

/// Locks a user against new references until the end of the transaction; `false` if there is no such user.
pub async fn lock(conn: &mut PgConnection, id: UserId) -> db::Result<bool> {
    let locked = sqlx::query_scalar!(
        "SELECT id FROM users WHERE id = $1 FOR UPDATE",
        id as UserId
    )
    .fetch_optional(conn)
    .await?;
    Ok(locked.is_some())
}

/// Deletes a user with memberships, sessions and the second factor.
pub async fn delete(conn: &mut PgConnection, id: UserId) -> db::Result<()> {
    sqlx::query!("DELETE FROM users WHERE id = $1", id as UserId)
        .execute(conn)
        .await?;
    Ok(())
}
