//! Takes definitions, notes every fault.

use crate::error::Result;

/// A catalog being filled. Definitions are JSON texts in the protocol's own shapes.
///
/// A definition that is not JSON is an error at once; every other fault is noted and all are reported together.
pub struct Builder {}

#[expect(unused_variables, reason = "skeleton")]
impl Builder {
    /// Adds a whole document: `{"tools":[…],"resources":[…],"resourceTemplates":[…],"prompts":[…]}`.
    pub fn add(&mut self, json: &str) -> Result<()> {
        todo!()
    }
    /// Adds one tool.
    pub fn tool(&mut self, json: &str) -> Result<()> {
        todo!()
    }
    /// Adds one resource.
    pub fn resource(&mut self, json: &str) -> Result<()> {
        todo!()
    }
    /// Adds one resource template.
    pub fn resource_template(&mut self, json: &str) -> Result<()> {
        todo!()
    }
    /// Adds one prompt.
    pub fn prompt(&mut self, json: &str) -> Result<()> {
        todo!()
    }
    /// Says that the catalog cannot be had, and why.
    pub fn fail(&mut self, reason: impl Into<String>) {
        todo!()
    }
}
