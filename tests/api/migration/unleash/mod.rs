//! What is imported from Unleash: compared with the real one, and from sources that speak as it does.

mod paths;
mod real;
