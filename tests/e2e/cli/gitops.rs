//! A project as files: written, compared, applied.

mod refused;
mod what_if;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{Ended, Home, token};
use crate::scene::{FLAG, Scene};

/// The texts of a folder, by name.
fn texts(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(texts(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            found.insert(path, text);
        }
    }
    found
}

/// The same with names within the folder.
fn within(dir: &Path) -> BTreeMap<PathBuf, String> {
    let texts = texts(dir).into_iter();
    let named = texts.map(|(path, text)| (path.strip_prefix(dir).unwrap().to_owned(), text));
    named.collect()
}

/// Writes another text over a part of a file.
fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from:?} is not in {text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

/// Commands with the files of a project.
struct Files<'a> {
    home: &'a Home,
    project: &'a str,
    dir: PathBuf,
}

impl<'a> Files<'a> {
    fn new(home: &'a Home, project: &'a str, folder: &str) -> Self {
        let dir = home.path().join(folder);
        Self { home, project, dir }
    }

    fn run(&self, command: &str, more: &[&str]) -> Ended {
        let dir = self.dir.to_str().unwrap();
        let place = [command, "--project", self.project, "--dir", dir];
        self.home.run(&[&place[..], more].concat())
    }

    fn json(&self, command: &str, code: i32) -> Value {
        let ended = self.run(command, &["-o", "json"]);
        ended.expect(code);
        serde_json::from_str(&ended.stdout).unwrap()
    }
}

/// A flag with a rule and a segment.
async fn furnish(scene: &Scene) {
    let project = format!("/v1/projects/{}", scene.project);
    let segment = json!({"key": "beta", "name": "Beta", "rules":
        [{"attribute": "plan", "operator": "eq", "values": ["beta"]}]});
    scene
        .owner
        .create(&format!("{project}/segments"), segment)
        .await;
    let rules = json!({"rules": [{"segment_keys": ["beta"], "percentage": 1000, "value": "hello"}],
        "percentage_rollout": 2500});
    scene.owner.change(&scene.state_path(), rules).await;
    let flag = json!({"key": "newCheckout", "name": "New checkout", "tags": ["web"]});
    scene.owner.create(&format!("{project}/flags"), flag).await;
}

#[tokio::test]
async fn a_project_made_of_the_files_of_another_one_has_the_same_files() {
    let scene = Scene::start().await;
    furnish(&scene).await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let from = Files::new(&home, "default", "from");
    from.run("pull", &[]).expect(0);
    let first = texts(&from.dir);
    assert!(first.len() == 4, "{first:#?}");
    from.run("pull", &[]).expect(0);
    assert_eq!(texts(&from.dir), first, "pulled twice");
    let nothing = from.run("plan", &[]);
    assert_eq!(nothing.expect(0).stdout, "nothing to change\n");

    home.run(&["project", "create", "Copy", "--slug", "copy"])
        .expect(0);
    let copy = Files::new(&home, "copy", "from");
    copy.run("plan", &[]).expect(2);
    let unasked = copy.run("apply", &[]);
    unasked.expect(64);
    assert!(unasked.stderr.contains("say --yes"), "{}", unasked.stderr);
    copy.run("apply", &["--yes", "--dry-run"]).expect(0);
    copy.run("plan", &[]).expect(2);
    copy.run(
        "apply",
        &["--yes", "--wait", "edges", "--comment", "copied"],
    )
    .expect(0);
    copy.run("plan", &[]).expect(0);
    let to = Files::new(&home, "copy", "to");
    to.run("pull", &[]).expect(0);
    assert_eq!(within(&to.dir), within(&from.dir));
    let audit = home.run(&["audit", "--project", "copy"]);
    assert!(audit.stdout.contains("copied"), "{}", audit.stdout);
}

#[tokio::test]
async fn plans_are_sentences_and_comments_survive() {
    let scene = Scene::start().await;
    furnish(&scene).await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let files = Files::new(&home, "default", "flags");
    files.run("pull", &[]).expect(0);
    let flag = files.dir.join(format!("flags/{FLAG}.yaml"));
    edit(
        &flag,
        "percentage_rollout: 2500",
        "percentage_rollout: 5000 # half of them",
    );
    edit(
        &flag,
        "name: Greeting",
        "# asked for by support\nname: Hello",
    );
    let told = files.run("plan", &[]);
    let wanted = "\
~ flag greeting (flags/greeting.yaml)
  ~ Name: Greeting → Hello
  ~ dev
    ~ Rollout: 25% → 50%
0 to create, 2 to change, 0 to remove
";
    assert_eq!(told.expect(2).stdout, wanted);
    let plan = files.json("diff", 2);
    assert_eq!(
        plan["changes"][1]["fields"],
        json!({"percentage_rollout": 5000})
    );
    assert_eq!(plan["changes"][1]["environment"], "dev");
    files.run("apply", &["--yes"]).expect(0);
    let before = fs::read_to_string(&flag).unwrap();
    files.run("pull", &[]).expect(0);
    assert_eq!(
        fs::read_to_string(&flag).unwrap(),
        before,
        "it says the same"
    );

    let name = json!({"name": "Salutation"});
    let path = format!("/v1/projects/{}/flags/{FLAG}", scene.project);
    scene.owner.change(&path, name).await;
    files.run("pull", &[]).expect(0);
    let after = fs::read_to_string(&flag).unwrap();
    let kept = [
        "# asked for by support\nname: Salutation\n",
        "percentage_rollout: 5000 # half of them\n",
    ];
    assert!(kept.iter().all(|kept| after.contains(kept)), "{after}");
}

#[tokio::test]
async fn who_comes_second_is_told_who_was_first() {
    let scene = Scene::start().await;
    furnish(&scene).await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let files = Files::new(&home, "default", "flags");
    files.run("pull", &[]).expect(0);
    let flag = files.dir.join(format!("flags/{FLAG}.yaml"));
    let text = fs::read_to_string(&flag).unwrap();
    let mut lost = 0;
    for number in 0..20 {
        let both = ["one", "two"].map(|name| {
            let dir = home.path().join(name);
            fs::create_dir_all(dir.join("flags")).unwrap();
            let text = text.replace("name: Greeting", &format!("name: {name}{number}"));
            fs::write(dir.join(format!("flags/{FLAG}.yaml")), text).unwrap();
            Files::new(&home, "default", name)
        });
        let ended = std::thread::scope(|scope| {
            let both = both
                .each_ref()
                .map(|files| scope.spawn(move || files.run("apply", &["--yes"])));
            both.map(|one| one.join().unwrap())
        });
        let won = ended.iter().filter(|ended| ended.code == 0).count();
        assert!(won >= 1, "{}{}", ended[0].stderr, ended[1].stderr);
        if let Some(second) = ended.iter().find(|ended| ended.code != 0) {
            second.expect(3);
            let told = &second.stderr;
            assert!(
                told.contains("changed meanwhile: flag.updated of greeting, by Owner at "),
                "{told}"
            );
            assert!(told.contains("run `halyardctl plan` again"), "{told}");
            lost += 1;
            break;
        }
    }
    assert_eq!(
        lost, 1,
        "twenty times one was done before the other one began"
    );
}

#[tokio::test]
async fn what_is_not_in_the_files_goes_only_when_that_is_asked_for() {
    let scene = Scene::start().await;
    furnish(&scene).await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let files = Files::new(&home, "default", "flags");
    files.run("pull", &[]).expect(0);
    let gone = files.dir.join("flags/newCheckout~8.yaml");
    let text = fs::read_to_string(&gone).unwrap();
    fs::remove_file(&gone).unwrap();
    let told = files.run("plan", &[]);
    assert!(
        told.expect(0)
            .stdout
            .contains("left alone without --prune: flag newCheckout\n"),
        "{}",
        told.stdout
    );
    assert!(
        files
            .run("plan", &["--prune"])
            .expect(2)
            .stdout
            .contains("- flag newCheckout\n")
    );
    files.run("apply", &["--prune", "--yes"]).expect(0);
    home.run(&["flag", "get", "newCheckout", "--project", "default"])
        .expect(3);

    fs::write(&gone, &text).unwrap();
    let left = files.run("pull", &[]);
    assert!(
        left.expect(0)
            .stderr
            .contains("newCheckout~8.yaml (--prune removes it)"),
        "{}",
        left.stderr
    );
    assert!(gone.exists());
    files.run("pull", &["--prune"]).expect(0);
    assert!(!gone.exists());

    let empty = Files::new(&home, "default", "empty");
    fs::create_dir(&empty.dir).unwrap();
    empty.run("apply", &["--prune", "--yes"]).expect(1);
    home.run(&["flag", "get", FLAG, "--project", "default"])
        .expect(0);
}

#[tokio::test]
async fn a_protected_environment_is_asked_and_not_changed() {
    let scene = Scene::start().await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let files = Files::new(&home, "default", "flags");
    files.run("pull", &[]).expect(0);
    let environment = format!("/v1/projects/{}/environments/{}", scene.project, scene.env);
    scene
        .owner
        .change(&environment, json!({"protected": true}))
        .await;
    files.run("pull", &[]).expect(0);
    let listed = fs::read_to_string(files.dir.join("environments.yaml")).unwrap();
    assert!(listed.contains("protected: true"), "{listed}");
    let flag = files.dir.join(format!("flags/{FLAG}.yaml"));
    edit(&flag, "default_value: v0", "default_value: v1");
    let told = files.run("plan", &[]);
    assert!(
        told.expect(2).stdout.contains("  ~ dev (needs approval)\n"),
        "{}",
        told.stdout
    );
    let asked = files.run("apply", &["--yes", "--comment", "please"]);
    let link = format!(
        "needs approval: {FLAG} in dev: {}/approvals/",
        scene.stack.url
    );
    assert!(asked.expect(0).stderr.contains(&link), "{}", asked.stderr);
    files.run("plan", &[]).expect(2);
}

#[tokio::test]
async fn all_projects_are_written_and_missing_ones_are_created() {
    let scene = Scene::start().await;
    furnish(&scene).await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let dir = home.path().join("all");
    let all = |command: &str, more: &[&str]| {
        let place = [command, "--all", "--dir", dir.to_str().unwrap()];
        home.run(&[&place[..], more].concat())
    };
    all("pull", &[]).expect(0);
    let copied = dir.join("copy");
    fs::create_dir(&copied).unwrap();
    for (name, text) in within(&dir.join("default")) {
        let file = copied.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    fs::write(copied.join("project.yaml"), "name: A copy\n").unwrap();
    let told = all("plan", &[]);
    assert!(
        told.expect(2).stdout.contains("+ project A copy\n"),
        "{}",
        told.stdout
    );
    all("apply", &["--yes"]).expect(0);
    all("plan", &[]).expect(0);
    let before = texts(&dir);
    all("pull", &[]).expect(0);
    assert_eq!(texts(&dir), before);
}
