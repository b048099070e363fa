//! Reads all definitions of a project, page by page, as of one version.

use files::content::{Content, Environment, Flag, Segment};
use serde::Deserialize;

use super::super::Session;
use crate::api::{Error, Request, operations};

/// Items of a page; the most that the service gives.
const PAGE: usize = 500;

/// How often reading begins again because somebody changed the project.
const ATTEMPTS: usize = 5;

/// What a project has, as of a version.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) version: i64,
    pub(super) content: Content,
}

#[derive(Deserialize)]
struct Page {
    version: i64,
    environments: Option<Vec<Environment>>,
    segments: Option<Vec<Segment>>,
    flags: Option<Vec<Flag>>,
    next: Option<String>,
}

/// What a project has.
pub(super) async fn content(session: &Session, project: &str) -> Result<Found, Error> {
    for _ in 0..ATTEMPTS {
        if let Some(found) = attempt(session, project).await? {
            return Ok(found);
        }
    }
    Err(Error::Failed(format!(
        "project {project} is changed so often that it cannot be read; try again"
    )))
}

/// One reading; `None` where the project changed meanwhile.
async fn attempt(session: &Session, project: &str) -> Result<Option<Found>, Error> {
    let mut found = Found::default();
    let mut after: Option<String> = None;
    loop {
        let request = Request::new(&operations::GET_CONTENT, &[project])
            .query("limit", Some(PAGE))
            .query("after", after.as_ref());
        let page: Page = session.send(&request).await?.json()?;
        if after.is_some() && page.version != found.version {
            return Ok(None);
        }
        found.version = page.version;
        let content = &mut found.content;
        content
            .environments
            .extend(shown(page.environments, "environments")?);
        for segment in shown(page.segments, "segments")? {
            content.segments.insert(segment.key.clone(), segment);
        }
        for mut flag in shown(page.flags, "flags")? {
            flag.states
                .values_mut()
                .for_each(files::content::State::complete);
            content.flags.insert(flag.key.clone(), flag);
        }
        after = page.next;
        if after.is_none() {
            return Ok(Some(found));
        }
    }
}

fn shown<T>(list: Option<Vec<T>>, what: &str) -> Result<Vec<T>, Error> {
    list.ok_or_else(|| {
        Error::Failed(format!(
            "the token may not read {what}; `halyardctl whoami` shows what it may do"
        ))
    })
}
