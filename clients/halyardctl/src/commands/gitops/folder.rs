//! The files of a project.

use std::path::Path;

use files::{Problem, content::Content, project::Project, tree};
use time::OffsetDateTime;

use super::projects::Of;
use crate::{
    api::Error,
    output::{escape, message},
};

/// Files that are valid.
#[derive(Debug)]
pub(super) struct Local {
    /// Whose they are.
    pub(super) of: Of,
    /// As they are written.
    pub(super) files: Vec<tree::File>,
    /// What they say.
    pub(super) project: Project,
    /// The same in the words of the API.
    pub(super) content: Content,
}

/// Reads the files of a project; what is wrong with them if they are not valid.
pub(super) fn read(of: &Of, now: OffsetDateTime) -> Result<Result<Local, Vec<Problem>>, Error> {
    let files = match tree::read(&of.dir) {
        Ok(files) => files,
        Err(problems) => return Ok(Err(problems)),
    };
    // Nobody means to delete a project by a mistake in the name of a folder.
    if files.is_empty() {
        let dir = of.dir.display();
        return Err(Error::Failed(format!(
            "{dir} has no files of a project; `halyardctl pull` writes them"
        )));
    }
    Ok(Project::of_files(&files, now).map(|project| {
        for (file, words) in project.warnings() {
            let warning = Problem::of_file(file, format!("warning: {words}"));
            tell(&of.dir, &[warning]);
        }
        Local {
            content: Content::from(&project),
            of: of.clone(),
            files,
            project,
        }
    }))
}

/// Tells of what is wrong, with names that lead to the files from here.
pub(super) fn tell(dir: &Path, problems: &[Problem]) {
    for problem in problems {
        message(&escape(&from_here(dir, problem).to_string()));
    }
}

fn from_here(dir: &Path, problem: &Problem) -> Problem {
    let mut problem = problem.clone();
    if dir != Path::new(".") && dir.is_dir() && !problem.file.is_empty() {
        problem.file = dir.join(&problem.file).display().to_string();
    }
    problem
}
