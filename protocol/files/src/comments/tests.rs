use proptest::prelude::*;

use super::*;
use crate::{arbitrary, node::Node};

const OLD: &str = "\
# Owned by payments.
# Ask before you change it.

# The key never changes.
key: checkout # stable
tags: [a, b] # for search
variants:
  # The new page.
  - key: \"on\"
    value: true # yes
  # The old page.
  - key: \"off\"
    value: false
  # No more, please.
environments:
  production:
    # Since the incident.
    enabled: false
    rules:
      - conditions: # who
          # internal
          - attribute: email
            values: [x] # one
      # end of the rules
  # end of the environments
# end of the file
";

fn bare(text: &str) -> String {
    to_yaml(&Document::parse(text).unwrap().to_node())
}

#[test]
fn a_text_that_says_the_same_keeps_all_of_its_comments_in_place() {
    assert_eq!(carry(OLD, &bare(OLD)), OLD);
}

#[test]
fn comments_follow_what_they_are_about() {
    let new = "\
name: Checkout
tags: [b, c]
key: checkout
variants:
  - key: \"off\"
    value: false
  - key: blue
    value: 1
  - key: \"on\"
    value: {}
environments:
  staging:
    enabled: true
  production:
    enabled: true
    rules:
      - conditions:
          - attribute: email
            values: [x, w]
        percentage: 5
";
    let want = "\
# Owned by payments.
# Ask before you change it.

name: Checkout
tags: [b, c] # for search
# The key never changes.
key: checkout # stable
variants:
  # The old page.
  - key: \"off\"
    value: false
  - key: blue
    value: 1
  # The new page.
  - key: \"on\"
    value: {} # yes
  # No more, please.
environments:
  staging:
    enabled: true
  production:
    # Since the incident.
    enabled: true
    rules:
      - conditions: # who
          # internal
          - attribute: email
            values: [x, w] # one
        percentage: 5
      # end of the rules
  # end of the environments
# end of the file
";
    assert_eq!(carry(OLD, new), want);
}

#[test]
fn comments_of_what_is_gone_go_to_what_is_next_or_around() {
    let old = "\
a: 1
list:
  # about x
  - x # behind x
  - w
  # about z
  - z
gone:
  # about its only entry
  inner: 1
  # end
last: 1 # behind last
";
    let new = "a: 1\nlist:\n  - w\n  - {}\nmore: 2\n";
    let want = "\
a: 1
list:
  # about x
  # behind x
  - w
  - {}
  # about z
more: 2
# about its only entry
# end
# behind last
";
    assert_eq!(carry(old, new), want);
}

#[test]
fn a_form_that_has_fewer_lines_keeps_comments_near() {
    let old = "\
tags: [ # open
  a, # first
  # own line
  b
  # last
] # closed
rules: # none yet
  - # behind a dash
    key: x
";
    let want = "\
# first
# own line
# last
# closed
tags: [a, b] # open
rules: # none yet
  # behind a dash
  - key: x
";
    assert_eq!(carry(old, &bare(old)), want);
    let emptied = carry(old, "tags: []\nrules: []\n");
    let want = "\
# first
# own line
# last
# closed
tags: [] # open
# behind a dash
rules: [] # none yet
";
    let mut got: Vec<_> = emptied.lines().collect();
    let mut wanted: Vec<_> = want.lines().collect();
    got.sort_unstable();
    wanted.sort_unstable();
    assert!(emptied.contains("tags: [] # open\n"), "{emptied}");
    assert!(emptied.contains("rules: [] # none yet\n"), "{emptied}");
    assert_eq!(got, wanted);
}

#[test]
fn what_looks_like_a_comment_in_text_is_none() {
    let old = "a: |\n  text\n  # no comment\n# one\nb: \"# none\"\nc: x#y # two\n";
    assert_eq!(carry(old, &bare(old)), old);
}

#[test]
fn comments_of_a_text_without_data_become_its_header() {
    assert_eq!(carry("# a\n\n# b\n", "key: x\n"), "# a\n# b\n\nkey: x\n");
    assert_eq!(carry("key: x # a\n", "null\n"), "null\n# a\n");
}

#[test]
fn texts_that_cannot_be_read_do_no_harm() {
    assert_eq!(carry("a: [ # x\n", "a:   1 # new\n"), "a: 1\n");
    assert_eq!(carry("a: 1 # x\n", "a: ["), "a: [");
}

/// Data in which the same keys and names come often.
fn alike() -> impl Strategy<Value = Node> {
    let scalar = prop_oneof![
        "[a-c]".prop_map(Node::Text),
        Just(Node::Text("one\ntwo\n".to_owned())),
        Just(Node::Null),
        Just(Node::List(Vec::new())),
    ];
    scalar.prop_recursive(5, 40, 5, |inner| {
        let named = (
            prop::sample::select(vec!["key", "id", "x"]),
            "[a-c]",
            inner.clone(),
        );
        let named = named.prop_map(|(field, name, value)| {
            Node::Map(vec![
                (field.to_owned(), Node::Text(name)),
                ("v".to_owned(), value),
            ])
        });
        let map = prop::collection::btree_map("[a-d]", inner.clone(), 0..5)
            .prop_map(|map| Node::Map(map.into_iter().collect()));
        prop_oneof![
            prop::collection::vec(prop_oneof![inner, named], 0..5).prop_map(Node::List),
            map.clone(),
            map.prop_map(|map| match map {
                Node::Map(map) => Node::Map(map.into_iter().rev().collect()),
                other => other,
            }),
        ]
    })
}

/// A text with comments put anywhere where they are comments: each by a share of the lines, an indent, and whether it is behind.
fn commented(node: &Node, comments: &[(f64, usize, bool)]) -> (String, usize) {
    let mut text = to_yaml(node);
    let mut count = 0;
    for (share, indent, behind) in comments {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a small share"
        )]
        let line = ((share * lines.len() as f64) as usize).min(lines.len());
        if *behind && line < lines.len() {
            lines[line].push_str(&format!(" # c{count}"));
        } else {
            lines.insert(line, format!("{}# c{count}", " ".repeat(*indent)));
            if *behind {
                lines.insert(line + 1, String::new());
            }
        }
        let new = lines.join("\n") + "\n";
        let same = Document::parse(&new).is_ok_and(|document| document.to_node() == *node);
        if same && document::comments(&new).len() == count + 1 {
            text = new;
            count += 1;
        }
    }
    (text, count)
}

fn placed() -> impl Strategy<Value = Vec<(f64, usize, bool)>> {
    prop::collection::vec((0.0..1.1, 0..7_usize, any::<bool>()), 0..8)
}

fn check(old: &Node, new: &Node, comments: &[(f64, usize, bool)]) -> Result<(), TestCaseError> {
    let (old, count) = commented(old, comments);
    let new_text = to_yaml(new);
    let carried = carry(&old, &new_text);
    let read = Document::parse(&carried).map(|document| document.to_node());
    prop_assert_eq!(read.as_ref(), Ok(new), "{}\n---\n{}", old, carried);
    let mut kept: Vec<_> = document::comments(&carried)
        .into_iter()
        .map(|comment| comment.text)
        .collect();
    kept.sort();
    let all: Vec<_> = (0..count).map(|number| format!("# c{number}")).collect();
    prop_assert_eq!(kept, all, "{}\n---\n{}", old, carried);
    prop_assert_eq!(&carry(&old, &carried), &carried);
    let again = carry(&carried, &new_text);
    prop_assert_eq!(
        &again,
        &carried,
        "old\n{}---carried\n{}---again\n{}",
        old,
        carried,
        again
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_comment_is_lost_and_none_wanders(old in alike(), new in alike(), comments in placed()) {
        check(&old, &new, &comments)?;
        check(&old, &old, &comments)?;
    }

    #[test]
    fn comments_never_change_data(old in arbitrary::node(), new in arbitrary::node(), comments in placed()) {
        check(&old, &new, &comments)?;
    }
}
