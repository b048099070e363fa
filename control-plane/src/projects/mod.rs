//! Projects.
