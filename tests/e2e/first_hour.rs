//! What somebody new is told to type, and what it is said to answer.

use std::process::{Command, Stdio};

use harness::Stack;
use serde_json::Value;

const FIRST_FLAG: &str = include_str!("../../docs/first-flag.md");
/// Goes on in the same shell.
const RECIPES: &str = include_str!("../../docs/recipes.md");

/// Printed before each command of a page.
const MARK: &str = "--- the next command ---";

/// A command of a page, and what the page says of its answer.
#[derive(Clone, Copy)]
struct Step<'a> {
    command: &'a str,
    answer: Option<Answer<'a>>,
}

#[derive(Clone, Copy)]
enum Answer<'a> {
    Json(&'a str),
    Text(&'a str),
}

/// The commands of a page, each with the answer that follows it. Those marked `sh skip` are for the reader alone.
fn steps(page: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    // Every second part is inside a block, and begins with its language.
    for block in page.split("```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').expect("a block has lines");
        let answer = match language {
            "sh" => {
                steps.push(Step {
                    command: text,
                    answer: None,
                });
                continue;
            }
            "sh skip" => continue,
            "json" => Answer::Json(text),
            "text" => Answer::Text(text),
            other => panic!("a block of `{other}`"),
        };
        let command = steps.last_mut().expect("an answer follows its command");
        assert!(
            command.answer.replace(answer).is_none(),
            "a command has one answer"
        );
    }
    steps
}

/// Types all commands into one shell. Returns what each printed.
fn typed(steps: &[Step<'_>], addresses: [(&str, &str); 2]) -> Vec<String> {
    let commands = steps
        .iter()
        .map(|step| format!("echo; echo '{MARK}'\n{}", step.command));
    let script = format!("set -euo pipefail\n{}", commands.collect::<String>());
    let shell = Command::new("bash")
        .args(["-c", &script])
        .envs(addresses)
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    let errors = String::from_utf8_lossy(&shell.stderr);
    assert!(shell.status.success(), "{errors}");
    let printed = String::from_utf8(shell.stdout).expect("answers are text");
    let answers = printed.split(MARK).skip(1);
    answers.map(|answer| answer.trim().to_owned()).collect()
}

#[tokio::test]
async fn the_first_flag_and_the_recipes_come_about_as_their_pages_say() {
    let mut stack = Stack::start().await;
    let edge = stack.edge().await;
    let steps = [steps(FIRST_FLAG), steps(RECIPES)].concat();
    let (control, edge_url) = (stack.url.clone(), edge.url());
    let addresses = [
        ("HALYARD_URL", control.as_str()),
        ("HALYARD_EDGE_URL", edge_url.as_str()),
    ];
    let answers = typed(&steps, addresses);
    assert_eq!(answers.len(), steps.len());
    let mut compared = 0;
    for (step, answer) in steps.iter().zip(answers) {
        let command = step.command;
        match step.answer {
            None => assert_eq!(answer, "", "{command}"),
            Some(Answer::Text(said)) => assert_eq!(answer, said.trim(), "{command}"),
            Some(Answer::Json(said)) => {
                let said: Value = serde_json::from_str(said).expect("the page has JSON");
                let answer: Value = serde_json::from_str(&answer).expect(&answer);
                assert_eq!(answer, said, "{command}");
            }
        }
        compared += usize::from(step.answer.is_some());
    }
    assert!(compared >= 12, "the pages show what happens");
}
