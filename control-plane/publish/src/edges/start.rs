//! The command that starts an edge.

use std::fmt::Write;

use super::model::EdgeCertificate;
use crate::config::QUIC_NAME;

/// An enrolled edge, and what its command names.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    pub edge: &'a EdgeCertificate,
    /// The folder of its identity.
    pub folder: &'a str,
    /// `host:port` of the control plane.
    pub upstream: &'a str,
    /// `CONTROL_QUIC_NAME` of the installation.
    pub quic_name: &'a str,
    /// The edge's program.
    pub program: &'a str,
}

impl Start<'_> {
    /// The settings of the edge, the most important first.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let folder = self.folder.trim_end_matches('/');
        let mut settings = vec![
            ("EDGE_IDENTITY", folder.to_owned()),
            ("EDGE_UPSTREAM", self.upstream.to_owned()),
            ("EDGE_CACHE_DIR", format!("{folder}-cache")),
            ("EDGE_HTTP_ADDR", "127.0.0.1:8081".to_owned()),
            ("EDGE_ADMIN_ADDR", "127.0.0.1:9091".to_owned()),
        ];
        if self.edge.is_relay {
            settings.push(("EDGE_RELAY_ADDR", "0.0.0.0:8444".to_owned()));
        }
        if self.quic_name != QUIC_NAME {
            settings.push(("CONTROL_QUIC_NAME", self.quic_name.to_owned()));
        }
        settings
    }

    /// The command, one setting a line.
    pub fn command(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.settings() {
            writeln!(text, "{name}={} \\", quoted(&value))
                .expect("writing to a string cannot fail");
        }
        text.push_str(&quoted(self.program));
        text
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_are_quoted_where_it_would_read_them_otherwise() {
        for (word, expected) in [
            ("/srv/fra-1", "/srv/fra-1"),
            ("127.0.0.1:8443", "127.0.0.1:8443"),
            ("/srv/my edges", "'/srv/my edges'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
