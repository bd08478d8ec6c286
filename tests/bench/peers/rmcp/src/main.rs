//! The official Rust SDK's server in its fastest form (one thread; non-blocking pipes, or hyper without a framework when
//! the command line ends with `--http PORT`): echo among 50 tools.

use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{transport::stdio_pipes, ServerHandler, ServiceExt};
use std::sync::Arc;

#[derive(Clone)]
struct Echo {
    tools: Arc<[Tool]>,
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.as_ref().and_then(|arguments| arguments.get("text")).and_then(|text| text.as_str());
        match text {
            Some(text) => Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into()),
            None => Err(ErrorData::invalid_params("text is missing", None)),
        }
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

async fn serve_http(echo: Echo, port: u16) -> Outcome {
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service = StreamableHttpService::new(move || Ok(echo.clone()), Arc::new(NeverSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

fn main() -> Outcome {
    let schema = serde_json::json!({
        "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]
    });
    let schema = Arc::new(schema.as_object().cloned().unwrap_or_default());
    let names = (0..49).map(|number| format!("tool_{number:05}")).chain(["echo".to_owned()]);
    let tools = names.map(|name| Tool::new(name, "Does one thing.", schema.clone())).collect();
    let echo = Echo { tools };
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match words.as_slice() {
            [option, port] if option == "--http" => serve_http(echo, port.parse()?).await,
            _ => {
                echo.serve(stdio_pipes()).await?.waiting().await?;
                Ok(())
            }
        }
    })
}
