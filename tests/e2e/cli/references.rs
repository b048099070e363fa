//! Flags that code names: found, told to the service, listed, checked, and what can go.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::{Ended, Home, token};
use crate::scene::{FLAG, Scene};

/// A flag that nothing evaluates.
const OLD: &str = "old-checkout";

/// A repository of code, as far as scans see one.
struct Code<'a> {
    home: &'a Home,
    dir: PathBuf,
    name: &'static str,
}

impl<'a> Code<'a> {
    fn new(home: &'a Home, name: &'static str) -> Self {
        let dir = home.path().join(name.replace('/', "-"));
        fs::create_dir(&dir).unwrap();
        Self { home, dir, name }
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.dir.join(file), text).unwrap();
    }

    fn dir(&self) -> &str {
        self.dir.to_str().unwrap()
    }

    fn scan(&self, more: &[&str]) -> Ended {
        let words = [
            "refs",
            "scan",
            self.dir(),
            "--project",
            "default",
            "--repository",
            self.name,
        ];
        self.home.run(&[&words[..], more].concat())
    }

    fn check(&self, more: &[&str]) -> Ended {
        let words = [
            "refs",
            "check",
            "--path",
            self.dir(),
            "--project",
            "default",
        ];
        let repository = ["--repository", self.name];
        self.home.run(&[&words[..], &repository, more].concat())
    }
}

async fn scene_with_old_flag() -> (Scene, Home) {
    let scene = Scene::start().await;
    let flags = format!("/v1/projects/{}/flags", scene.project);
    let flag = json!({"key": OLD, "name": "Old checkout"});
    scene.owner.create(&flags, flag).await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    (scene, home)
}

#[tokio::test]
async fn what_is_scanned_is_listed_replaced_and_removed() {
    let (_scene, home) = scene_with_old_flag().await;
    let shop = Code::new(&home, "acme/shop");
    shop.write("a.ts", "on('old-checkout');\n\nflags.isGreeting()\n");
    shop.write("b.ts", "'old-checkout' 'gone'\n");
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let link = "https://git.example.com/{commit}/{path}#L{line}";
    let options = ["--commit", commit, "--branch", "main", "--link", link];
    let alias = ["--alias-pattern", "is{PascalCase}"];
    let told = shop.scan(&[&options[..], &alias].concat());
    assert_eq!(
        told.expect(0).stderr,
        "acme/shop has 3 references of 2 flags in 2 files\n"
    );

    let list = home.json(&["refs", "list", "--project", "default"]);
    let [one] = &list["data"].as_array().unwrap()[..] else {
        panic!("{list}");
    };
    assert_eq!(one["repository"], "acme/shop");
    assert_eq!(
        (&one["branch"], &one["commit"]),
        (&json!("main"), &json!(commit))
    );
    assert_eq!(
        (&one["reference_count"], &one["flag_count"]),
        (&json!(3), &json!(2))
    );
    let references = |key: &str| -> Vec<Value> {
        let of = home.json(&["flag", "references", key, "--project", "default"]);
        of["data"].as_array().unwrap().clone()
    };
    let old = references(OLD);
    let place = |one: &Value| (one["path"].clone(), one["line"].clone());
    assert_eq!(
        old.iter().map(place).collect::<Vec<_>>(),
        [(json!("a.ts"), json!(1)), (json!("b.ts"), json!(1))]
    );
    let url = format!("https://git.example.com/{commit}/a.ts#L1");
    assert_eq!(old[0]["url"], url);
    assert_eq!(references(FLAG)[0]["alias"], "isGreeting");

    shop.write("b.ts", "");
    shop.scan(&[]).expect(0);
    assert_eq!(references(OLD).len(), 1);
    assert!(references(FLAG).is_empty(), "without the template");
    let unknown = home.run(&[
        "refs",
        "remove",
        "acme/other",
        "--project",
        "default",
        "--yes",
    ]);
    unknown.expect_error(
        1,
        "no repository acme/other was scanned; there are: acme/shop",
    );
    home.run(&[
        "refs",
        "remove",
        "acme/shop",
        "--project",
        "default",
        "--yes",
    ])
    .expect(0);
    assert!(references(OLD).is_empty());
}

#[tokio::test]
async fn a_flag_that_files_remove_must_not_be_named_any_more() {
    let (_scene, home) = scene_with_old_flag().await;
    let shop = Code::new(&home, "acme/shop");
    let web = Code::new(&home, "acme/web");
    let dir = shop.dir.join("flags");
    let files = ["--project", "default", "--dir", dir.to_str().unwrap()];
    home.run(&[&["pull"][..], &files].concat()).expect(0);
    shop.write("a.ts", "on('old-checkout');\n");
    let check = |more: &[&str]| shop.check(&[&files[2..], more].concat());
    assert_eq!(check(&[]).expect(0).stderr, "no flag is to go\n");

    fs::remove_file(dir.join(format!("flags/{OLD}.yaml"))).unwrap();
    let told = check(&[]);
    assert_eq!(
        told.expect(1).stdout,
        "a.ts:1:5: flag old-checkout is still named\n"
    );
    shop.write("a.ts", "");
    check(&[]).expect(0);

    web.write("b.ts", "'old-checkout'\n`old-checkout`\n");
    web.scan(&[]).expect(0);
    let warned = check(&[]);
    assert!(
        warned
            .expect(0)
            .stderr
            .starts_with("warning: acme/web has 2 references of flag old-checkout\n"),
        "{}",
        warned.stderr
    );
    check(&["--strict"]).expect(1);
    // What the service knows of the repository itself is older than what is here.
    web.write("b.ts", "");
    web.check(&[OLD, "--strict"]).expect(0);
}

#[tokio::test]
async fn a_flag_can_go_once_no_code_names_it() {
    let (scene, home) = scene_with_old_flag().await;
    let pool = sqlx::PgPool::connect(scene.stack.database().url());
    let aged = "UPDATE flags SET created_at = created_at - interval '90 days', \
                updated_at = updated_at - interval '90 days' WHERE key = $1";
    sqlx::query(aged)
        .bind(OLD)
        .execute(&pool.await.unwrap())
        .await
        .unwrap();
    let stale = |more: &[&str]| {
        let words = ["flag", "stale", "--project", "default", "--fail"];
        home.run(&[&words[..], more].concat())
    };
    let unknown = stale(&[]);
    assert!(
        unknown.expect(0).stdout.starts_with("old-checkout\n  "),
        "{}",
        unknown.stdout
    );
    assert!(
        unknown
            .stdout
            .contains("  never evaluated in all environments\n")
    );
    assert!(unknown.stderr.contains("`halyardctl refs scan` would tell"));

    let shop = Code::new(&home, "acme/shop");
    shop.write("a.ts", "on('old-checkout');\n");
    shop.scan(&[]).expect(0);
    let named = stale(&[]);
    assert!(
        named.expect(0).stdout.ends_with("  1 reference in code\n"),
        "{}",
        named.stdout
    );

    shop.write("a.ts", "");
    shop.scan(&[]).expect(0);
    let unnamed = stale(&["--days", "60"]);
    assert!(
        unnamed
            .expect(2)
            .stdout
            .ends_with("  no code that was scanned names it\n"),
        "{}",
        unnamed.stdout
    );
    let list = home.json(&[
        "flag",
        "stale",
        "--project",
        "default",
        "--reason",
        "not_evaluated",
    ]);
    assert_eq!(list["data"][0]["reference_count"], 0);
    let none = stale(&["--reason", "fully_on"]);
    assert_eq!(none.expect(0).stderr, "no flag can go\n");
}
