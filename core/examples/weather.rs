//! A first server in Rust: one tool, one resource, one template, one prompt, over stdio.

use mcpcore::{Call, CallKind, Config, Host, Server};
use std::sync::Arc;

const CATALOG: &str = r#"{
  "tools": [{
    "name": "get_weather",
    "description": "Current weather of a place.",
    "inputSchema": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
  }],
  "resources": [{"uri": "weather://places", "name": "places", "mimeType": "text/plain"}],
  "resourceTemplates": [{"uriTemplate": "weather://place/{name}", "name": "place", "mimeType": "text/plain"}],
  "prompts": [{"name": "forecast", "arguments": [{"name": "place", "required": true}]}]
}"#;

struct Weather;

impl Host for Weather {
    fn call(&self, call: Call) {
        let place = call.argument_node().get("place").and_then(|place| place.as_str().map(String::from));
        let text = match (call.kind(), call.variable("name"), place) {
            (CallKind::Tool, _, Some(place)) => format!("12 °C and dry in {place}."),
            (CallKind::Prompt, _, Some(place)) => format!("What is the forecast for {place}?"),
            (CallKind::Resource, Some(place), _) => format!("{place}: 12 °C"),
            _ => "Oslo\nLima".to_owned(),
        };
        // An error says that the client is gone: nothing is left to do then.
        let _ = call.complete_text(&text);
    }
}

fn main() -> Result<(), mcpcore::Error> {
    let mut config = Config::new("weather", "1.0.0");
    config.catalog = Some(CATALOG.to_owned());
    mcpcore::serve_stdio(&Server::new(config, Arc::new(Weather))?)
}
