//! The official Rust SDK's server in its fastest form (one thread, non-blocking pipes): echo among 50 tools.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{transport::stdio_pipes, ServerHandler, ServiceExt};
use std::sync::Arc;

struct Echo {
    tools: Vec<Tool>,
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
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = serde_json::json!({
        "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]
    });
    let schema = Arc::new(schema.as_object().cloned().unwrap_or_default());
    let names = (0..49).map(|number| format!("tool_{number:05}")).chain(["echo".to_owned()]);
    let tools = names.map(|name| Tool::new(name, "Does one thing.", schema.clone())).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        Echo { tools }.serve(stdio_pipes()).await?.waiting().await?;
        Ok(())
    })
}
