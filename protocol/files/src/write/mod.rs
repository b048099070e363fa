//! The one form in which files are written, for people to review: the same data is always the same text.
//!
//! Blocks, indented by two blanks, lists under their key; keys in the order of the [`Node`]. A list of scalars stays in a line
//! while that has at most 80 columns. Text is plain where every reader of YAML 1.1 and 1.2 takes it for that text, several lines
//! are a literal block, the rest is quoted: `yes`, `no`, `on`, `off`, dates and what looks like a number among it. Controls,
//! invisible characters and those that turn the direction of writing are escaped, so that a reviewer sees them.

mod quoting;
#[cfg(test)]
mod tests;

use serde_json::Number;

use self::quoting::{Within, literal, push_escaped, scalar_text};
use crate::node::Node;

/// The widest line to which a list of scalars is written, in characters.
const WIDTH: usize = 80;

/// The longest key that stands before a colon, as YAML has it; a longer one is marked with `?`.
const LONGEST_SIMPLE_KEY: usize = 1_000;

/// Data as YAML, with a line end at its end. [`crate::Document`] reads the same data from it.
pub fn to_yaml(node: &Node) -> String {
    let mut out = String::new();
    match node {
        Node::List(list) if !list.is_empty() => {
            if let Some(line) = in_a_line(list, 0) {
                out.push_str(&line);
                out.push('\n');
            } else {
                write_list(&mut out, list, 0);
            }
        }
        Node::Map(map) if !map.is_empty() => write_map(&mut out, map, 0),
        scalar => write_scalar(&mut out, scalar, 0),
    }
    out
}

/// Data as JSON, indented by two blanks, with a line end at its end.
pub fn to_json(node: &Node) -> String {
    // Data of this kind can always be written.
    let text = serde_json::to_string_pretty(node).unwrap_or_default();
    let mut out = String::with_capacity(text.len() + 1);
    for letter in text.chars() {
        match letter {
            // Between the nodes. What JSON leaves in text, YAML may not allow.
            '\n' => out.push('\n'),
            letter => push_escaped(&mut out, letter),
        }
    }
    out.push('\n');
    out
}

/// Writes the entries of a map; the first one where the line is, the others indented.
fn write_map(out: &mut String, map: &[(String, Node)], indent: usize) {
    for (place, (key, value)) in map.iter().enumerate() {
        if place > 0 {
            push_indent(out, indent);
        }
        let key = scalar_text(key, Within::Key);
        let is_long = key.len() > LONGEST_SIMPLE_KEY;
        if is_long {
            out.push_str("? ");
            out.push_str(&key);
            out.push('\n');
            push_indent(out, indent);
        } else {
            out.push_str(&key);
        }
        out.push(':');
        let column = if is_long {
            WIDTH
        } else {
            indent + key.chars().count() + 2
        };
        write_value(out, value, indent, column);
    }
}

/// Writes a value behind the colon of its key, which is indented by so much and after which the value would begin at a column.
fn write_value(out: &mut String, value: &Node, indent: usize, column: usize) {
    match value {
        Node::List(list) if !list.is_empty() => {
            if let Some(line) = in_a_line(list, column) {
                out.push(' ');
                out.push_str(&line);
                out.push('\n');
                return;
            }
            out.push('\n');
            push_indent(out, indent + 2);
            write_list(out, list, indent + 2);
        }
        Node::Map(map) if !map.is_empty() => {
            out.push('\n');
            push_indent(out, indent + 2);
            write_map(out, map, indent + 2);
        }
        scalar => {
            out.push(' ');
            write_scalar(out, scalar, indent);
        }
    }
}

/// Writes the elements of a list; the first one where the line is, the others indented.
fn write_list(out: &mut String, list: &[Node], indent: usize) {
    for (place, element) in list.iter().enumerate() {
        if place > 0 {
            push_indent(out, indent);
        }
        out.push_str("- ");
        match element {
            Node::List(inner) if !inner.is_empty() => match in_a_line(inner, indent + 2) {
                Some(line) => {
                    out.push_str(&line);
                    out.push('\n');
                }
                None => write_list(out, inner, indent + 2),
            },
            Node::Map(map) if !map.is_empty() => write_map(out, map, indent + 2),
            scalar => write_scalar(out, scalar, indent),
        }
    }
}

/// A list of scalars in brackets, if it ends within the line that it begins at a column.
fn in_a_line(list: &[Node], column: usize) -> Option<String> {
    let mut line = "[".to_owned();
    for (place, element) in list.iter().enumerate() {
        if !element.is_scalar() {
            return None;
        }
        if place > 0 {
            line.push_str(", ");
        }
        line.push_str(&inline(element, Within::Brackets));
        // Bytes are counted first: there are never fewer of them.
        if column + line.len() >= WIDTH && column + line.chars().count() >= WIDTH {
            return None;
        }
    }
    line.push(']');
    Some(line)
}

/// Writes a scalar or an empty collection and ends its line.
fn write_scalar(out: &mut String, scalar: &Node, indent: usize) {
    if let Node::Text(text) = scalar
        && let Some(header) = literal(text)
    {
        out.push_str(header);
        out.push('\n');
        for line in text.lines() {
            if !line.is_empty() {
                push_indent(out, indent + 2);
                out.push_str(line);
            }
            out.push('\n');
        }
        return;
    }
    out.push_str(&inline(scalar, Within::Block));
    out.push('\n');
}

fn inline(node: &Node, within: Within) -> String {
    match node {
        Node::Null => "null".to_owned(),
        Node::Bool(is) => is.to_string(),
        Node::Number(number) => number_text(number),
        Node::Text(text) => scalar_text(text, within).into_owned(),
        Node::List(_) => "[]".to_owned(),
        Node::Map(_) => "{}".to_owned(),
    }
}

/// A number as readers of YAML 1.1 take it too: they want a point and a sign beside an exponent.
fn number_text(number: &Number) -> String {
    let text = number.to_string();
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) {
        ""
    } else {
        "+"
    };
    format!("{mantissa}{point}e{sign}{exponent}")
}

fn push_indent(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}
