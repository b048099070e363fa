use std::{fs, path::Path};

use super::*;
use crate::problem::Problem;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn names(dir: &Path) -> Vec<String> {
    let files = read(dir).unwrap();
    files.into_iter().map(|file| file.name).collect()
}

fn problems(dir: &Path) -> Vec<String> {
    let problems = read(dir).unwrap_err();
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn files_are_read_where_they_belong() {
    let dir = folder(&[
        ("flags/b.yaml", "b"),
        ("flags/a.json", "{}"),
        ("flags/team/x/c.yml", "c"),
        ("flags/README.md", "#"),
        ("flags/.hidden.yaml", "h"),
        ("flags/.git/x.yaml", "h"),
        ("segments/beta.yaml", "s"),
        ("tests/t.yaml", "t"),
        ("environments.yaml", "e"),
        ("environments.toml", "e"),
        ("other.yaml", "o"),
        ("other/x.yaml", "o"),
    ]);
    assert_eq!(
        names(dir.path()),
        [
            "environments.yaml",
            "flags/a.json",
            "flags/b.yaml",
            "flags/team/x/c.yml",
            "segments/beta.yaml",
            "tests/t.yaml",
        ]
    );
    let single = read(&dir.path().join("other.yaml")).unwrap();
    assert_eq!(
        single,
        [File {
            name: "other.yaml".to_owned(),
            text: "o".to_owned()
        }]
    );
    assert_eq!(names(&dir.path().join("other")), [""; 0]);
}

#[test]
fn problems_of_a_file_bear_its_name() {
    let dir = folder(&[("flags/a.yaml", "key: [")]);
    let file = &read(dir.path()).unwrap()[0];
    let problems = file.parse().unwrap_err();
    assert!(
        problems[0].to_string().starts_with("flags/a.yaml:1:"),
        "{problems:?}"
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let large = "a".repeat(crate::document::MAX_BYTES + 1);
    let dir = folder(&[("flags/ok.yaml", "a"), ("flags/large.yaml", &large)]);
    fs::write(dir.path().join("flags/bytes.yaml"), b"ab\xff").unwrap();
    assert_eq!(
        problems(dir.path()),
        [
            "flags/bytes.yaml: is no UTF-8 from byte 2 on",
            "flags/large.yaml: has more than 1048576 bytes",
        ]
    );
    let missing = dir.path().join("missing");
    assert!(problems(&missing)[0].starts_with(&format!("{}: ", missing.display())));
}

#[cfg(unix)]
#[test]
fn links_are_followed_as_mounted_config_maps_have_them() {
    use std::os::unix::fs::symlink;

    let dir = folder(&[("flags/..2026/x.yaml", "x")]);
    let flags = dir.path().join("flags");
    symlink("..2026", flags.join("..data")).unwrap();
    symlink("..data/x.yaml", flags.join("x.yaml")).unwrap();
    assert_eq!(names(dir.path()), ["flags/x.yaml"]);
    symlink("nowhere", flags.join("y.yaml")).unwrap();
    assert!(problems(dir.path())[0].starts_with("flags/y.yaml: "));
    fs::remove_file(flags.join("y.yaml")).unwrap();
    symlink(".", flags.join("loop")).unwrap();
    let found = problems(dir.path());
    assert_eq!(found.len(), 1);
    assert!(
        found[0].ends_with("/loop: more than 32 folders in one another"),
        "{found:?}"
    );
}

#[test]
fn only_files_that_differ_are_written() {
    let dir = folder(&[
        ("flags/same.yaml", "same"),
        ("flags/other.yaml", "old"),
        ("flags/gone.yaml", "gone"),
    ]);
    let modified = |name: &str| {
        fs::metadata(dir.path().join(name))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = modified("flags/same.yaml");
    let files = [
        ("segments/deep/new.yaml", "new"),
        ("flags/same.yaml", "same"),
        ("flags/other.yaml", "more"),
    ];
    let done = write_changed(dir.path(), &files, &["flags/gone.yaml", "flags/never.yaml"]).unwrap();
    assert_eq!(done.written, ["flags/other.yaml", "segments/deep/new.yaml"]);
    assert_eq!(done.removed, ["flags/gone.yaml"]);
    assert_eq!(modified("flags/same.yaml"), before);
    let read: Vec<_> = read(dir.path())
        .unwrap()
        .into_iter()
        .map(|file| (file.name, file.text))
        .collect();
    let mut want: Vec<_> = files
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .to_vec();
    want.sort();
    assert_eq!(read, want);
    let left = fs::read_dir(dir.path().join("flags")).unwrap().count();
    assert_eq!(left, 2, "no temporary file is left");
    let again = write_changed(dir.path(), &files, &["flags/gone.yaml"]).unwrap();
    assert_eq!(again, Written::default());
}

#[test]
fn nothing_is_written_outside_the_folder() {
    let dir = folder(&[("in/x.yaml", "x"), ("out/y.yaml", "y")]);
    let inside = dir.path().join("in");
    for name in [
        "../out/y.yaml",
        "/tmp/y.yaml",
        "a/../../out/y.yaml",
        "",
        "a//b",
        "./a",
        "a/.",
        "a\\b",
        "c:a",
        "a/",
    ] {
        let refused = write_changed(&inside, &[("new.yaml", "n"), (name, "n")], &[]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            Problem::of_file(name, "is no name of a file in the folder").to_string()
        );
        assert!(write_changed::<_, &str>(&inside, &[], &[name]).is_err());
    }
    assert!(!inside.join("new.yaml").exists(), "names are checked first");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_written_through() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let dir = folder(&[("in/x.yaml", "x"), ("out/y.yaml", "y")]);
    let inside = dir.path().join("in");
    symlink("../out", inside.join("flags")).unwrap();
    for name in ["flags/y.yaml", "flags/new/z.yaml"] {
        let refused = write_changed(&inside, &[(name, "n")], &[]).unwrap_err();
        assert!(
            refused
                .to_string()
                .ends_with("a link leads out of the folder"),
            "{refused}"
        );
    }
    assert!(write_changed::<_, &str>(&inside, &[], &["flags/y.yaml"]).is_err());
    symlink("../out/y.yaml", inside.join("y.yaml")).unwrap();
    write_changed(&inside, &[("y.yaml", "n")], &[]).unwrap();
    assert_eq!(
        fs::read_to_string(dir.path().join("out/y.yaml")).unwrap(),
        "y"
    );
    assert_eq!(fs::read_to_string(inside.join("y.yaml")).unwrap(), "n");
    fs::set_permissions(inside.join("x.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
    write_changed(&inside, &[("x.yaml", "n")], &[]).unwrap();
    let mode = fs::metadata(inside.join("x.yaml"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}
