//! An environment that is large on the wire too.

use harness::user::DefaultProject;
use harness::{Edge, Stack, User};
use serde_json::json;
use sqlx::{Connection, PgConnection};

/// Bytes of the default value of each flag, of which about three quarters travel.
const VALUE: usize = 60_000;

/// A project of its own organization, with one environment of large flags.
pub struct Bulk {
    key: String,
}

impl Bulk {
    /// With that many flags: 45,000 bytes on the wire each.
    pub async fn make(stack: &Stack, flags: u64) -> Self {
        let owner: User = stack.signup("bulk").await;
        let project: DefaultProject = owner.default_project().await;
        for env in [&project.staging, &project.production] {
            let path = format!("/v1/projects/{}/environments/{env}", project.id);
            owner.remove(&path).await;
        }
        let key = owner.api_key(&project.dev).await;
        let mut connection = PgConnection::connect(stack.database().url()).await.unwrap();
        let (names, values): (Vec<String>, Vec<String>) = (0..flags)
            .map(|number| (format!("bulk-{number}"), incompressible(number)))
            .unzip();
        sqlx::query(
            "WITH drawn AS (
                 UPDATE projects SET version = version + 1 WHERE id = $1::uuid RETURNING id, org_id, version
             ), touched AS (
                 UPDATE environments SET version = drawn.version, changed_in = pg_current_xact_id()
                 FROM drawn WHERE project_id = drawn.id
             )
             INSERT INTO flags (id, org_id, project_id, key, name, description, flag_type, default_value, tags,
                                prerequisites, mutual_exclusion_group, changed_version, compiled_bytes,
                                created_at, updated_at)
             SELECT gen_random_uuid(), drawn.org_id, drawn.id, bulk.key, 'Bulk', '', 'string', to_jsonb(bulk.value), '{}',
                    '{}', '', drawn.version, 60000, now(), now()
             FROM drawn, unnest($2::text[], $3::text[]) AS bulk (key, value)",
        )
        .bind(&project.id)
        .bind(names)
        .bind(values)
        .execute(&mut connection)
        .await
        .unwrap();
        Self { key }
    }

    /// The API key of its environment.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Whether the edge has it, by now.
    pub async fn is_served_by(&self, edge: &Edge) -> bool {
        let question = json!({"flag_key": "bulk-1", "context": {"key": "user-1"}});
        let sdk = edge.with_key(&self.key);
        let answer = sdk.post("/v1/evaluate", question).await;
        answer.status == 200 && answer.body["reason"] != "NOT_FOUND"
    }
}

/// Text of which a compressor saves a quarter at most: six bits a letter.
fn incompressible(seed: u64) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..VALUE)
        .map(|_| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            let [.., high] = dice.to_le_bytes();
            char::from(LETTERS[usize::from(high & 63)])
        })
        .collect()
}
