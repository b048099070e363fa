//! Any request.

use clap::Args;

pub(super) const AFTER: &str = "\
Fields are the query of a GET, and the body of anything else.

Examples:
  halyardctl api GET /v1/me
  halyardctl api GET /v1/audit -f action=flag.killed -f limit=5
  halyardctl api POST /v1/projects -f name=Shop -F slug=null
  halyardctl api PUT /v1/projects/shop --input project.json";

#[derive(Args, Debug)]
pub struct Api {
    /// GET, POST, PUT, PATCH or DELETE
    pub method: String,
    /// The path, which begins with /
    pub path: String,
    /// A field with a text
    #[arg(short = 'f', long = "field", value_name = "NAME=TEXT")]
    pub fields: Vec<String>,
    /// A field with JSON
    #[arg(short = 'F', long = "json-field", value_name = "NAME=JSON")]
    pub json_fields: Vec<String>,
    /// The body: a file with JSON, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<String>,
    /// Send If-Match with this tag
    #[arg(long, value_name = "TAG")]
    pub if_match: Option<String>,
}
