// SPDX-License-Identifier: GPL-3.0-or-later
//! The scripted model server, asked over real connections. That its answers are what an agent expects is for the
//! contract to show; here is what the contract relies on.

use std::time::Duration;

use dasbo_desktop_tests::model_server::{ModelServer, Scripts, Step};
use dasbo_desktop_tests::wait;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

const LIMIT: Duration = Duration::from_secs(10);

async fn post(server: &ModelServer, path: &str, body: &Value) -> Response<Incoming> {
    let address = server.url().replace("http://", "");
    let stream = TcpStream::connect(&address).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request =
        Request::post(path).header("host", address).body(Full::new(Bytes::from(body.to_string()))).unwrap();
    sender.send_request(request).await.unwrap()
}

async fn ask(server: &ModelServer, body: &Value) -> Response<Incoming> {
    post(server, "/v1/messages", body).await
}

fn prompt(text: &str) -> Value {
    let messages = json!([{"role": "user", "content": text}]);
    json!({"model": "m", "stream": true, "tools": [{"name": "Bash"}], "messages": messages})
}

async fn text(response: Response<Incoming>) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

/// The data of every event in a stream.
async fn events(response: Response<Incoming>) -> Vec<Value> {
    let text = text(response).await;
    text.lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

/// What a client puts together from the deltas.
fn spoken(events: &[Value], kind: &str, key: &str) -> String {
    let deltas = events.iter().map(|event| &event["delta"]).filter(|delta| delta["type"] == kind);
    deltas.map(|delta| delta[key].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_script_is_followed_step_by_step() {
    let tool = Step::tool("Bash", json!({"command": "ls"})).after_thinking("Hm.");
    let scripts = Scripts::default().with("two", [tool, Step::text("Häppy end.").slow(3, Duration::ZERO)]);
    let server = ModelServer::start(scripts).await.unwrap();
    let mut request = prompt("SCN:two please");

    let first = events(ask(&server, &request).await).await;
    assert_eq!(spoken(&first, "thinking_delta", "thinking"), "Hm.");
    assert_eq!(spoken(&first, "input_json_delta", "partial_json"), r#"{"command":"ls"}"#);
    assert_eq!(first[first.len() - 2]["delta"]["stop_reason"], "tool_use");

    let messages = request["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": [{"type": "tool_use"}]}));
    messages.push(json!({"role": "user", "content": [{"type": "tool_result", "content": "a b"}]}));
    let second = events(ask(&server, &request).await).await;
    assert_eq!(spoken(&second, "text_delta", "text"), "Häppy end.");
    assert_eq!(second.iter().filter(|event| event["type"] == "content_block_delta").count(), 4);
    assert_eq!(second[second.len() - 2]["delta"]["stop_reason"], "end_turn");
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_comes_whole() {
    let usage = json!({"output_tokens": 7});
    let server =
        ModelServer::start(Scripts::default().with("one", [Step::text("Hi.").usage(usage)])).await.unwrap();
    let mut request = prompt("SCN:one");
    request["stream"] = json!(false);
    let message: Value = serde_json::from_str(&text(ask(&server, &request).await).await).unwrap();
    assert_eq!(message["content"], json!([{"type": "text", "text": "Hi."}]));
    assert_eq!(message["usage"]["output_tokens"], 7);
}

#[tokio::test]
async fn failures_come_as_often_as_told() {
    let step = Step::text("At last.").failing(2, 529, "overloaded_error", "busy");
    let server = ModelServer::start(Scripts::default().with("busy", [step])).await.unwrap();
    for _ in 0..2 {
        let refused = ask(&server, &prompt("SCN:busy")).await;
        assert_eq!(refused.status().as_u16(), 529);
        let error: Value = serde_json::from_str(&text(refused).await).unwrap();
        assert_eq!(error["error"], json!({"type": "overloaded_error", "message": "busy"}));
    }
    let answer = ask(&server, &prompt("SCN:busy")).await;
    assert_eq!(answer.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_gate_holds_a_stream_until_it_is_opened() {
    let scripts = Scripts::default().with("held", [Step::text("Now.").held_at("gate")]);
    let server = ModelServer::start(scripts).await.unwrap();
    let mut response = ask(&server, &prompt("SCN:held")).await;
    let opening = response.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(opening.starts_with(b"event: message_start"));
    server.open_gate("gate");
    assert_eq!(spoken(&events(response).await, "text_delta", "text"), "Now.");
    assert!(!server.received()[0].hung_up);
}

#[tokio::test]
async fn a_stuck_answer_has_begun_to_speak() {
    let step = Step::text("One two three").stuck_at("gate", 4, 2);
    let server = ModelServer::start(Scripts::default().with("stuck", [step])).await.unwrap();
    let mut response = ask(&server, &prompt("SCN:stuck")).await;
    let mut begun = String::new();
    while !begun.contains("two ") {
        let piece = response.frame().await.unwrap().unwrap().into_data().unwrap();
        begun += std::str::from_utf8(&piece).unwrap();
    }
    assert!(!begun.contains("thre"));
    server.open_gate("gate");
    assert_eq!(spoken(&events(response).await, "text_delta", "text"), "three");
}

#[tokio::test]
async fn a_silent_answer_does_not_even_begin() {
    let scripts = Scripts::default().with("silent", [Step::text("Now.").silent_until("gate")]);
    let server = ModelServer::start(scripts).await.unwrap();
    let request = prompt("SCN:silent");
    let mut answer = Box::pin(ask(&server, &request));
    tokio::select! {
        _ = &mut answer => panic!("it has begun"),
        asked = wait::until(LIMIT, "request", async || server.received().first().map(drop)) => asked.unwrap(),
    }
    server.open_gate("gate");
    assert_eq!(spoken(&events(answer.await).await, "text_delta", "text"), "Now.");
}

#[tokio::test]
async fn a_summary_is_asked_for_beside_the_script() {
    let scripts = Scripts::default().with("one", [Step::text("Hi.")]).with_summary(Step::text("In short."));
    let server = ModelServer::start(scripts).await.unwrap();
    let mut request = prompt("SCN:one");
    let messages = request["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": "Hi."}));
    messages.push(json!({"role": "user", "content": "Create a detailed summary."}));
    assert_eq!(spoken(&events(ask(&server, &request).await).await, "text_delta", "text"), "In short.");
}

#[tokio::test]
async fn a_client_that_hangs_up_is_noticed() {
    let scripts = Scripts::default().with("held", [Step::text("Never.").held_at("gate")]);
    let server = ModelServer::start(scripts).await.unwrap();
    let mut response = ask(&server, &prompt("SCN:held")).await;
    response.frame().await.unwrap().unwrap();
    assert!(!server.received()[0].hung_up);
    drop(response);
    let noticed = wait::until(LIMIT, "hang-up", async || server.received()[0].hung_up.then_some(()));
    noticed.await.unwrap();
}

#[tokio::test]
async fn side_requests_do_not_touch_the_script() {
    let server = ModelServer::start(Scripts::default().with("one", [Step::text("Hi.")])).await.unwrap();
    let mut request = prompt("SCN:one");
    request["tools"] = json!([]);
    assert_eq!(spoken(&events(ask(&server, &request).await).await, "text_delta", "text"), "A side answer.");
    assert_eq!(server.received()[0].place, None);
    let counted = text(post(&server, "/v1/messages/count_tokens", &request).await).await;
    assert!(serde_json::from_str::<Value>(&counted).unwrap()["input_tokens"].as_u64().unwrap() > 0);
    assert_eq!(post(&server, "/elsewhere", &request).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn tool_calls_are_judged_when_that_is_asked() {
    let step = Step::tool("Bash", json!({"command": "ls"})).and_text("and");
    let flagged = Step::flagged_tool("Bash", json!({"command": "rm"}), "it deletes");
    let server =
        ModelServer::start(Scripts::default().with("good", [step]).with("bad", [flagged])).await.unwrap();
    for (script, outcome) in [("good", "not_flagged"), ("bad", "flagged")] {
        let mut request = prompt(&format!("SCN:{script}"));
        request["safeguards"] = json!([{"type": "dangerous_tool_use"}]);
        let events = events(ask(&server, &request).await).await;
        let id = events.iter().find_map(|event| event["content_block"]["id"].as_str()).unwrap();
        let delta = &events[events.len() - 2]["delta"];
        assert_eq!(delta["safeguard_results"][0]["status"]["tool_uses"][id]["outcome"], outcome);
    }
    let unasked = events(ask(&server, &prompt("SCN:good")).await).await;
    assert_eq!(unasked[unasked.len() - 2]["delta"].get("safeguard_results"), None);
}
