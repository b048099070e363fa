//! What this process has counted for operators.

use std::sync::LazyLock;

use serving::telemetry::install_metrics;

type Render = Box<dyn Fn() -> String + Send + Sync>;

static RENDER: LazyLock<Render> = LazyLock::new(|| {
    let metrics = install_metrics().unwrap();
    Box::new(move || metrics.render())
});

/// The metric whose line begins like this, since the first call.
pub fn counted(name: &str) -> f64 {
    let text = RENDER();
    let line = text.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.rsplit(' ').next());
    number.map_or(0.0, |number| number.parse().unwrap())
}
