//! The HTTP area: one request, one answer.

use super::client::Request;
use super::host::Stage;

#[test]
fn smoke() {
    let stage = Stage::new();
    println!("{:?}", Request::new("server/discover", "").send(&stage.endpoint));
    println!("{:?}", Request::call("echo", "{}").send(&stage.endpoint));
    println!(
        "{:?}",
        Request::call("talk", "{}")
            .replace(
                r#""_meta":{"#,
                r#""_meta":{"io.modelcontextprotocol/logLevel":"debug","progressToken":5,"#
            )
            .send(&stage.endpoint)
    );
    println!("{:?}", Request::listen(r#"{"toolsListChanged":true}"#).send(&stage.endpoint));
    println!("{:?}", Request::call("wait", "{}").send(&stage.endpoint));
    println!("{:?}", stage.cancelled());
    println!("{:?}", Request::bare("GET", "/mcp").send(&stage.endpoint));
}
