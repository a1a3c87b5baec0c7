// SPDX-License-Identifier: GPL-3.0-or-later
//! A scripted stand-in for the Anthropic Messages API.
//!
//! It keeps no conversations. The prompt names a script (`SCN:name`), and the step is the number of answers the model
//! has given since that prompt. So titles, summaries and subagents, which ask beside the conversation, disturb nothing.
//! Requests that offer no tools are such side requests; they get a canned answer.

mod answer;
mod script;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, Uri};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;

use answer::Answer;
pub use answer::PLAN_FILE;
pub use script::{Place, Scripts, Step};

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct ModelServer {
    port: u16,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

/// One request, as the server got it.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub body: Value,
    /// The step it asked for; none for side requests and for prompts without a script.
    pub place: Option<Place>,
    /// The client went away before the answer was complete.
    pub hung_up: bool,
}

#[derive(Debug)]
struct Shared {
    scripts: Scripts,
    received: Mutex<Vec<Received>>,
    gates: watch::Sender<BTreeSet<String>>,
}

impl ModelServer {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start(scripts: Scripts) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let (gates, _) = watch::channel(BTreeSet::new());
        let shared = Arc::new(Shared { scripts, received: Mutex::default(), gates });
        let router = Router::new()
            .route("/", get(async || StatusCode::OK))
            .route("/v1/messages", post(messages))
            .route("/v1/messages/count_tokens", post(count_tokens))
            .fallback(unknown)
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            // It runs until the task is aborted; a connection's own failure does not end it.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { port, shared, task })
    }

    /// What `ANTHROPIC_BASE_URL` must say.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Lets all streams go on that are held, or will be, at this gate.
    pub fn open_gate(&self, gate: &str) {
        self.shared.gates.send_modify(|open| {
            open.insert(gate.to_owned());
        });
    }

    /// All requests so far, in order.
    pub fn received(&self) -> Vec<Received> {
        self.shared.received().clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn received(&self) -> MutexGuard<'_, Vec<Received>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request; gives its number and how many before it asked for the same step.
    fn note(&self, path: &str, body: &Value, place: Option<&Place>) -> (usize, usize) {
        let mut received = self.received();
        let earlier =
            received.iter().filter(|other| place.is_some() && other.place.as_ref() == place).count();
        let number = received.len();
        received.push(Received {
            path: path.to_owned(),
            body: body.clone(),
            place: place.cloned(),
            hung_up: false,
        });
        (number, earlier)
    }

    fn note_hang_up(&self, number: usize) {
        if let Some(received) = self.received().get_mut(number) {
            received.hung_up = true;
        }
    }
}

async fn unknown(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    shared.note(uri.path(), &Value::Null, None);
    failure(StatusCode::NOT_FOUND, "not_found_error", uri.path())
}

async fn count_tokens(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    shared.note("/v1/messages/count_tokens", &parsed(&body), None);
    Json(json!({"input_tokens": body.len() / 4 + 1})).into_response()
}

async fn messages(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let body = parsed(&body);
    let is_side = body["tools"].as_array().is_none_or(Vec::is_empty);
    let place = if is_side { None } else { script::place(&body) };
    let (number, earlier) = shared.note("/v1/messages", &body, place.as_ref());
    let summary = shared.scripts.summary().filter(|_| script::asks_for_summary(&body));
    let step = match &place {
        _ if summary.is_some() => summary.cloned().unwrap_or_default(),
        None => side_answer(&body),
        Some(place) => {
            shared.scripts.step(place).cloned().unwrap_or_else(|| Step::text("The script is at its end."))
        }
    };
    if let Some(refusal) = step.failure.as_ref().filter(|failure| earlier < failure.times) {
        let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        return failure(status, &refusal.kind, &refusal.message);
    }
    if let Some(gate) = &step.silent {
        let mut gates = shared.gates.subscribe();
        // An error would mean that this server has ended.
        let _ = gates.wait_for(|open| open.contains(gate)).await;
    }
    let answer = Answer::new(&step, &body, number);
    if body["stream"] != true {
        return Json(answer.whole()).into_response();
    }
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        if stream(&shared, &step, &answer, &sender).await.is_err() {
            shared.note_hang_up(number);
        }
    });
    Sse::new(ReceiverStream::new(receiver)).into_response()
}

/// The client went away.
#[derive(Debug)]
struct HungUp;

type Sender = mpsc::Sender<Result<Event, Infallible>>;

async fn stream(shared: &Shared, step: &Step, answer: &Answer, sender: &Sender) -> Result<(), HungUp> {
    send(sender, answer.opening()).await?;
    pause(sender, tokio::time::sleep(step.delay)).await?;
    for (number, event) in answer.rest(step.pace).into_iter().enumerate() {
        if let Some(gate) = step.gate.as_ref().filter(|_| number == step.before_gate) {
            let mut gates = shared.gates.subscribe();
            pause(sender, gates.wait_for(|open| open.contains(gate))).await?;
        }
        send(sender, event).await?;
        if let Some(pace) = step.pace {
            pause(sender, tokio::time::sleep(pace.gap)).await?;
        }
    }
    Ok(())
}

async fn send(sender: &Sender, (name, data): answer::Event) -> Result<(), HungUp> {
    let event = Event::default().event(name).data(data.to_string());
    sender.send(Ok(event)).await.map_err(|_| HungUp)
}

/// Waits, but no longer than the client does.
async fn pause(sender: &Sender, what: impl Future) -> Result<(), HungUp> {
    tokio::select! {
        () = sender.closed() => Err(HungUp),
        _ = what => Ok(()),
    }
}

/// A title when a title's shape is asked for, else a sentence.
fn side_answer(body: &Value) -> Step {
    let wants_json = body.pointer("/output_config/format").is_some() || body.get("output_format").is_some();
    if wants_json { Step::text(r#"{"title":"A scripted session"}"#) } else { Step::text("A side answer.") }
}

fn failure(status: StatusCode, kind: &str, message: &str) -> Response {
    (status, Json(answer::failure(kind, message))).into_response()
}

fn parsed(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}
