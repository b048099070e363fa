//! SQL of replicas, questions and answers. Not tenant-scoped: they belong to the service. All times are the database's.

use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::db::{self, REPLICAS_CHANNEL};

#[derive(Debug)]
pub(super) struct Question {
    pub(super) id: Uuid,
    pub(super) question: Value,
}

#[derive(Debug)]
pub(super) struct Present {
    pub(super) id: Uuid,
    pub(super) presence: Value,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) question_id: Uuid,
    pub(super) replica_id: Uuid,
    pub(super) answer: Value,
}

/// Records that the replica is present and its announcement; deletes questions whose askers have left.
pub(super) async fn be_there(
    conn: &mut PgConnection,
    id: Uuid,
    presence: &Value,
) -> db::Result<()> {
    sqlx::query!(
        "WITH gone AS (
             DELETE FROM replicas WHERE seen_at < now() - interval '1 minute' AND id <> $1
         ), unanswered AS (
             DELETE FROM replica_questions WHERE asked_at < now() - interval '1 minute'
         )
         INSERT INTO replicas (id, seen_at, presence)
         VALUES ($1, now(), $2)
         ON CONFLICT (id) DO UPDATE SET seen_at = now(), presence = excluded.presence",
        id,
        presence,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Records that the replica is no longer present.
pub(super) async fn leave(conn: &mut PgConnection, id: Uuid) -> db::Result<()> {
    sqlx::query!("DELETE FROM replicas WHERE id = $1", id)
        .execute(conn)
        .await?;
    Ok(())
}

/// The replicas that recently announced their presence, without `id`.
pub(super) async fn others(conn: &mut PgConnection, id: Uuid) -> db::Result<Vec<Present>> {
    Ok(sqlx::query_as!(
        Present,
        "SELECT id, presence FROM replicas WHERE id <> $1 AND seen_at > now() - interval '7 seconds'",
        id,
    )
    .fetch_all(conn)
    .await?)
}

/// The same, without their announcements.
pub(super) async fn other_ids(conn: &mut PgConnection, id: Uuid) -> db::Result<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM replicas WHERE id <> $1 AND seen_at > now() - interval '7 seconds'",
        id,
    )
    .fetch_all(conn)
    .await?)
}

/// Notifies other replicas to refresh presence.
pub(super) async fn call(conn: &mut PgConnection) -> db::Result<()> {
    sqlx::query_scalar!("SELECT pg_notify($1, '')", REPLICAS_CHANNEL)
        .execute(conn)
        .await?;
    Ok(())
}

/// Stores a question and notifies the others.
pub(super) async fn ask(
    conn: &mut PgConnection,
    id: Uuid,
    asked_by: Uuid,
    question: &Value,
) -> db::Result<()> {
    sqlx::query!(
        "WITH asked AS (
             INSERT INTO replica_questions (id, asked_by, question, asked_at)
             VALUES ($1, $2, $3, now())
         )
         SELECT pg_notify($4, '')",
        id,
        asked_by,
        question,
        REPLICAS_CHANNEL,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Questions of others that `id` has not answered.
pub(super) async fn open(conn: &mut PgConnection, id: Uuid) -> db::Result<Vec<Question>> {
    Ok(sqlx::query_as!(
        Question,
        "SELECT id, question
         FROM replica_questions
         WHERE asked_by <> $1
             AND NOT EXISTS (
                 SELECT FROM replica_answers WHERE question_id = replica_questions.id AND replica_id = $1
             )",
        id,
    )
    .fetch_all(conn)
    .await?)
}

/// Stores an answer in place of an earlier one, and notifies the asker. Has no effect if the asker no longer waits: the question
/// is locked against deletion.
pub(super) async fn answer(
    conn: &mut PgConnection,
    question_id: Uuid,
    replica_id: Uuid,
    answer: &Value,
) -> db::Result<()> {
    sqlx::query!(
        "WITH answered AS (
             INSERT INTO replica_answers (question_id, replica_id, answer)
             SELECT id, $2, $3 FROM replica_questions WHERE id = $1 FOR KEY SHARE
             ON CONFLICT (question_id, replica_id) DO UPDATE SET answer = excluded.answer
         )
         SELECT pg_notify($4, '')",
        question_id,
        replica_id,
        answer,
        REPLICAS_CHANNEL,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The answers to these questions so far.
pub(super) async fn answers(
    conn: &mut PgConnection,
    question_ids: &[Uuid],
) -> db::Result<Vec<Answer>> {
    Ok(sqlx::query_as!(
        Answer,
        "SELECT question_id, replica_id, answer FROM replica_answers WHERE question_id = ANY($1)",
        question_ids,
    )
    .fetch_all(conn)
    .await?)
}

/// Deletes a question with its answers.
pub(super) async fn forget(conn: &mut PgConnection, question_id: Uuid) -> db::Result<()> {
    sqlx::query!("DELETE FROM replica_questions WHERE id = $1", question_id)
        .execute(conn)
        .await?;
    Ok(())
}
