//! What a word of a search stands for: actions, actors and things. Entries are then found by those, each of which has an index;
//! texts of entries are not searched.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::events::Action;
use base::{db, ids::OrgId, input::Invalid, refusal::Refusal};

/// Longer texts are no words of a name.
const MAX_TEXT: usize = 200;
const MAX_WORDS: usize = 5;

/// Things that a word may stand for.
const MAX_THINGS: usize = 20_000;
/// Of each kind, the newest deletions whose names are looked at.
const DELETIONS: i64 = 2_000;

/// The words of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(Vec<String>);

impl Words {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        if text.chars().count() > MAX_TEXT {
            return Err(Invalid::new(format!(
                "q must be at most {MAX_TEXT} characters"
            )));
        }
        let words: Vec<_> = text.split_whitespace().map(str::to_lowercase).collect();
        if words.len() > MAX_WORDS {
            return Err(Invalid::new(format!(
                "q must have at most {MAX_WORDS} words"
            )));
        }
        Ok(Self(words))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Looks up what each of them stands for.
    pub(in crate::audit) async fn look_up(
        &self,
        conn: &mut PgConnection,
        org_id: OrgId,
    ) -> Result<Vec<Meant>, Refusal> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let mut meant: Vec<_> = self.0.iter().map(|word| Meant::by_itself(word)).collect();
        for named in actors(conn, org_id, &self.0).await? {
            named.of(&mut meant, |it| &mut it.actors);
        }
        for named in things(conn, org_id, &self.0).await? {
            named.of(&mut meant, |it| &mut it.things);
        }
        let is_too_much = |it: &Meant| it.actors.len().max(it.things.len()) > MAX_THINGS;
        if meant.iter().any(is_too_much) {
            return Err(Refusal::invalid(format!(
                "a word of q fits more than {MAX_THINGS} names: use a longer one"
            )));
        }
        Ok(meant)
    }
}

/// What a word stands for: an entry fits that has any of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meant {
    pub(in crate::audit) actions: Vec<String>,
    pub(in crate::audit) actors: Vec<Uuid>,
    pub(in crate::audit) things: Vec<Uuid>,
}

impl Meant {
    /// Actions, and the word itself where it is an id.
    fn by_itself(word: &str) -> Self {
        let actions = Action::ALL.iter().map(|action| action.as_str());
        let id = Uuid::try_parse(word).ok();
        Self {
            actions: actions
                .filter(|action| action.contains(word))
                .map(str::to_owned)
                .collect(),
            actors: id.into_iter().collect(),
            things: id.into_iter().collect(),
        }
    }

    /// The things, as entries have their ids.
    pub(in crate::audit) fn thing_ids(&self) -> Vec<String> {
        self.things.iter().map(Uuid::to_string).collect()
    }
}

struct Named {
    /// Of the word, from 1.
    place: i64,
    id: Uuid,
}

impl Named {
    fn of(self, meant: &mut [Meant], ids: fn(&mut Meant) -> &mut Vec<Uuid>) {
        let place = usize::try_from(self.place - 1).unwrap_or(usize::MAX);
        if let Some(meant) = meant.get_mut(place) {
            ids(meant).push(self.id);
        }
    }
}

/// Who has acted in the organization and has a word in their name: members and former ones, tokens and keys. Only members are
/// found by their address.
async fn actors(
    conn: &mut PgConnection,
    org_id: OrgId,
    words: &[String],
) -> db::Result<Vec<Named>> {
    Ok(sqlx::query_as!(
        Named,
        r#"WITH RECURSIVE acted AS (
               (SELECT actor_id FROM audit_entries
                WHERE org_id = $1 AND actor_id IS NOT NULL
                ORDER BY actor_id LIMIT 1)
               UNION ALL
               SELECT (SELECT entry.actor_id FROM audit_entries entry
                       WHERE entry.org_id = $1 AND entry.actor_id > acted.actor_id
                       ORDER BY entry.actor_id LIMIT 1)
               FROM acted WHERE acted.actor_id IS NOT NULL
           ), named AS (
               SELECT u.id, lower(concat_ws(' ', u.name, CASE WHEN m.id IS NOT NULL THEN u.email END)) AS name
               FROM (SELECT actor_id FROM acted WHERE actor_id IS NOT NULL LIMIT $3::bigint) AS known
               JOIN users u ON u.id = known.actor_id
               LEFT JOIN members m ON m.org_id = $1 AND m.user_id = u.id
               UNION ALL
               SELECT id, lower(name) FROM scim_tokens WHERE org_id = $1
               UNION ALL
               SELECT id, lower(name) FROM api_keys WHERE org_id = $1
           )
           SELECT word.place AS "place!", named.id AS "id!"
           FROM unnest($2::text[]) WITH ORDINALITY AS word (text, place)
           JOIN named ON strpos(named.name, word.text) > 0
           LIMIT $3::bigint * 5"#,
        org_id as OrgId,
        words,
        i64::try_from(MAX_THINGS).unwrap_or(i64::MAX) + 1,
    )
    .fetch_all(conn)
    .await?)
}

/// Things that have a word in their key or name, and requests about such flags; of deleted ones those that were deleted last.
async fn things(
    conn: &mut PgConnection,
    org_id: OrgId,
    words: &[String],
) -> db::Result<Vec<Named>> {
    let deletions: Vec<_> = Action::ALL
        .iter()
        .map(|action| action.as_str().to_owned())
        .filter(|action| action.ends_with(".deleted") || action.ends_with(".removed"))
        .collect();
    Ok(sqlx::query_as!(
        Named,
        r#"WITH named AS MATERIALIZED (
               SELECT id, lower(key || ' ' || name) AS name FROM flags WHERE org_id = $1
               UNION ALL
               SELECT id, lower(key || ' ' || name) FROM segments WHERE org_id = $1
               UNION ALL
               SELECT id, lower(slug || ' ' || name) FROM environments WHERE org_id = $1
               UNION ALL
               SELECT id, lower(slug || ' ' || name) FROM projects WHERE org_id = $1
               UNION ALL
               SELECT id, lower(name) FROM webhooks WHERE org_id = $1
               UNION ALL
               SELECT id, lower(name) FROM custom_roles WHERE org_id = $1
               UNION ALL
               SELECT id, lower(name) FROM api_keys WHERE org_id = $1
               UNION ALL
               SELECT m.id, lower(concat_ws(' ', coalesce(m.known_as, u.name), u.email))
               FROM members m JOIN users u ON u.id = m.user_id
               WHERE m.org_id = $1
               UNION ALL
               SELECT deleted.resource_id::uuid,
                      lower(concat_ws(' ', deleted.state ->> 'key', deleted.state ->> 'slug', deleted.state ->> 'name',
                                      deleted.state ->> 'email'))
               FROM unnest($3::text[]) AS wanted (action)
               CROSS JOIN LATERAL (
                   SELECT entry.resource_id, entry.before_state AS state
                   FROM audit_entries entry
                   -- Only the index of actions has this order: by another one all entries would be read for an action that is rare.
                   WHERE entry.org_id = $1 AND entry.action BETWEEN wanted.action AND wanted.action AND entry.resource_id IS NOT NULL
                   ORDER BY entry.action, entry.created_at DESC, entry.id DESC
                   LIMIT $4::bigint
               ) AS deleted
           ), found AS MATERIALIZED (
               SELECT word.place, named.id
               FROM unnest($2::text[]) WITH ORDINALITY AS word (text, place)
               JOIN named ON strpos(named.name, word.text) > 0
               LIMIT $5::bigint * 5
           )
           SELECT place AS "place!", id AS "id!" FROM found
           UNION
           SELECT found.place, request.id
           FROM found JOIN approvals request ON request.org_id = $1 AND request.flag_id = found.id
           LIMIT $5::bigint * 10"#,
        org_id as OrgId,
        words,
        &deletions,
        DELETIONS,
        i64::try_from(MAX_THINGS).unwrap_or(i64::MAX) + 1,
    )
    .fetch_all(conn)
    .await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_few_and_in_any_case() {
        assert!(Words::parse("  ").unwrap().is_empty());
        let words = Words::parse(" Ada\tKILLED ").unwrap();
        assert_eq!(words, Words(vec!["ada".to_owned(), "killed".to_owned()]));
        assert!(Words::parse("a b c d e f").is_err());
        assert!(Words::parse(&"ü".repeat(201)).is_err());
    }

    #[test]
    fn a_word_stands_for_actions_and_for_its_own_id() {
        let killed = Meant::by_itself("killed");
        assert_eq!(killed.actions, ["flag.killed"]);
        assert!(killed.things.is_empty());
        let id = Meant::by_itself("0199d6c5-0a3f-7c41-8d1c-111111111111");
        assert_eq!((id.actors.len(), id.things.len()), (1, 1));
        assert!(id.actions.is_empty());
    }
}
