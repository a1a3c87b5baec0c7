// SPDX-License-Identifier: GPL-3.0-or-later
//! Waiting for a condition, with a limit.

use std::time::Duration;

use anyhow::{Result, bail};
use tokio::time::Instant;

const PAUSE: Duration = Duration::from_millis(40);

/// Asks `probe` again and again until it has an answer.
///
/// The error names `what` was waited for and how long.
pub async fn until<T>(limit: Duration, what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> Result<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(answer) = probe().await {
            return Ok(answer);
        }
        if Instant::now() >= end {
            bail!("no {what} within {} s", limit.as_secs());
        }
        tokio::time::sleep(PAUSE).await;
    }
}
