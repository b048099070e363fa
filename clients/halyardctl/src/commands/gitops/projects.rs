//! Which folder is which project.

use std::{fs, path::PathBuf};

use files::{Document, Node, Path, Problem, deserialize};
use serde_json::json;

use super::super::Session;
use crate::{
    api::{Error, Request, operations},
    arguments::Place,
};

/// The file that says what a project is called.
pub(super) const FILE: &str = "project.yaml";

/// A project and its folder.
#[derive(Clone, Debug)]
pub(super) struct Of {
    /// Its slug, or its id.
    pub(super) slug: String,
    /// The folder of its files.
    pub(super) dir: PathBuf,
    /// Its name, where folders are named after projects.
    pub(super) name: Option<String>,
    /// Its name, if there is no such project yet.
    pub(super) is_new: Option<String>,
}

impl Of {
    /// The text of the file that says what it is called.
    pub(super) fn file(&self) -> Option<(String, String)> {
        let name = self.name.as_ref()?;
        let node = Node::from(json!({ "name": name }));
        Some((FILE.to_owned(), files::write::to_yaml(&node)))
    }
}

/// The projects that the service has.
pub(super) async fn stored(session: &Session, place: &Place) -> Result<Vec<Of>, Error> {
    if !place.all {
        return one(session, place).await;
    }
    let of = |(slug, name): (String, String)| Of {
        dir: place.dir.join(files::tree::file_name(&slug)),
        slug,
        name: Some(name),
        is_new: None,
    };
    Ok(list(session).await?.into_iter().map(of).collect())
}

/// The projects that there are files of.
pub(super) async fn written(session: &Session, place: &Place) -> Result<Vec<Of>, Error> {
    if !place.all {
        return one(session, place).await;
    }
    let there = list(session).await?;
    let failed = |why| Error::while_doing(&place.dir.display().to_string(), why);
    let mut folders = Vec::new();
    for entry in fs::read_dir(&place.dir).map_err(failed)? {
        folders.push(entry.map_err(failed)?.path());
    }
    folders.sort();
    let mut all = Vec::new();
    for dir in folders.into_iter().filter(|dir| dir.join(FILE).is_file()) {
        let name = name(&dir.join(FILE))?;
        let folder = dir.file_name().unwrap_or_default().to_string_lossy();
        let slug = folder.into_owned();
        let is_there = there.iter().any(|(other, _)| *other == slug);
        all.push(Of {
            dir,
            slug,
            is_new: (!is_there).then(|| name.clone()),
            name: Some(name),
        });
    }
    if all.is_empty() {
        let dir = place.dir.display();
        return Err(Error::Usage(format!(
            "{dir} has no folder with a {FILE}; `halyardctl pull --all` writes them"
        )));
    }
    Ok(all)
}

async fn one(session: &Session, place: &Place) -> Result<Vec<Of>, Error> {
    Ok(vec![Of {
        slug: session.project(&place.within).await?,
        dir: place.dir.clone(),
        name: None,
        is_new: None,
    }])
}

/// Slugs and names of all projects.
async fn list(session: &Session) -> Result<Vec<(String, String)>, Error> {
    let request = Request::new(&operations::LIST_PROJECTS, &[]);
    let all = session.client.all(&request).await?;
    let items = all["data"].as_array().into_iter().flatten();
    let named = items.filter_map(|item| {
        let text = |field: &str| item[field].as_str().map(str::to_owned);
        Some((text("slug")?, text("name")?))
    });
    Ok(named.collect())
}

fn name(file: &std::path::Path) -> Result<String, Error> {
    let shown = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|why| Error::while_doing(&shown, why))?;
    let first = |problems: Vec<Problem>| problems.into_iter().next();
    let read = match Document::parse_named(&shown, &text) {
        Ok(document) => deserialize(&document, &Path::root().key("name")),
        Err(problems) => {
            Err(first(problems).unwrap_or_else(|| Problem::of_file(&shown, "cannot be read")))
        }
    };
    read.map_err(|problem| Error::Failed(problem.to_string()))
}
