//! A catalog being filled.

use crate::guard::guard;
use crate::status::mcp_status;
use crate::text::{present, text};
use mcpcore_engine::{CatalogBuilder, Result};
use std::ffi::c_char;

/// A catalog being filled, inside mcp_catalog_fn. Definitions are JSON texts in the protocol's own shapes, and clients
/// see them as you wrote them.
///
/// A text that is not JSON is refused at once. Every other fault is noted, and all are reported together when the
/// catalog is done. You need not look at the statuses here: a catalog with a fault is never used, unless
/// MCP_OPTION_INVALID_ITEMS says that a faulty item is left out.
///
/// Functions: mcp_catalog_add, mcp_catalog_add_tool, mcp_catalog_add_resource, mcp_catalog_add_resource_template,
/// mcp_catalog_add_prompt, mcp_catalog_fail.
///
/// Since: 0.1.
pub struct mcp_catalog<'b> {
    builder: &'b mut CatalogBuilder,
}

impl<'b> mcp_catalog<'b> {
    pub(crate) fn new(builder: &'b mut CatalogBuilder) -> Self {
        Self { builder }
    }

    unsafe fn add(
        catalog: Option<&mut Self>,
        json: *const c_char,
        len: usize,
        add: impl FnOnce(&mut CatalogBuilder, &str) -> Result<()>,
    ) -> mcp_status {
        guard(None, || {
            let catalog = present(catalog, "catalog")?;
            let json = text(json, len, "json").inspect_err(|error| catalog.builder.fail(error.message()))?;
            Ok(add(catalog.builder, json)?)
        })
    }
}

/// Adds a whole document: {"tools":[…],"resources":[…],"resourceTemplates":[…],"prompts":[…]}, each key optional.
///
/// Threads: callback.
/// Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_catalog_add(
    catalog: Option<&mut mcp_catalog>,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_catalog::add(catalog, json, len, CatalogBuilder::add)
}

/// Adds one tool: {"name":…,"description":…,"inputSchema":…,…}.
///
/// Threads: callback.
/// Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_catalog_add_tool(
    catalog: Option<&mut mcp_catalog>,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_catalog::add(catalog, json, len, CatalogBuilder::tool)
}

/// Adds one resource: {"uri":…,"name":…,"mimeType":…,…}.
///
/// Threads: callback.
/// Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_catalog_add_resource(
    catalog: Option<&mut mcp_catalog>,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_catalog::add(catalog, json, len, CatalogBuilder::resource)
}

/// Adds one resource template: {"uriTemplate":…,"name":…,"mimeType":…,…}.
///
/// Threads: callback.
/// Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_catalog_add_resource_template(
    catalog: Option<&mut mcp_catalog>,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_catalog::add(catalog, json, len, CatalogBuilder::resource_template)
}

/// Adds one prompt: {"name":…,"arguments":[…],…}.
///
/// Threads: callback.
/// Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_catalog_add_prompt(
    catalog: Option<&mut mcp_catalog>,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_catalog::add(catalog, json, len, CatalogBuilder::prompt)
}

/// Says that the catalog cannot be had, and why. At start the server is refused; later the old catalog stays.
///
/// Threads: callback.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_catalog_fail(
    catalog: Option<&mut mcp_catalog>,
    reason: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_catalog::add(catalog, reason, len, |builder, reason| {
        builder.fail(reason);
        Ok(())
    })
}
