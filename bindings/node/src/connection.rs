//! Connections that JavaScript feeds.

use crate::caller::{self, CallerInit};
use crate::engine::Engine;
use crate::error::{closed, thrown, Result};
use crate::inbox::{Event, Inbox};
use mcpcore_engine::{Connection, Output};
use napi_derive::napi;
use std::collections::HashMap;
use std::sync::Arc;

/// The open ones, by the number that JavaScript gave them.
pub(crate) type Connections = HashMap<u32, Connection>;

struct Sink {
    number: u32,
    inbox: Arc<Inbox>,
}

impl Output for Sink {
    fn write(&self, messages: &[u8]) {
        self.inbox.push(Event::Output { connection: self.number, text: messages.to_vec() });
    }
}

#[napi]
impl Engine {
    /// Opens a connection; its messages come out of `take`.
    #[napi]
    pub fn connect(&self, number: u32, caller: Option<CallerInit>) -> Result<()> {
        let caller = caller::read(caller)?;
        let output = Box::new(Sink { number, inbox: Arc::clone(&self.bridge.inbox) });
        let connection = Connection::new(&self.server, caller, output).map_err(|error| thrown(&error))?;
        self.connections.borrow_mut().insert(number, connection);
        Ok(())
    }

    /// Takes the next text of a connection, split anywhere.
    #[napi]
    pub fn receive(&self, number: u32, text: String) -> Result<()> {
        self.connection(number)?.receive(text.as_bytes()).map_err(|error| thrown(&error))
    }

    /// In how many ms `tick` has something to do for a connection.
    #[napi]
    pub fn next_deadline(&self, number: u32) -> Option<f64> {
        let due = self.connection(number).ok()?.next_deadline()?;
        Some(due.as_secs_f64() * 1000.0)
    }

    /// Ends calls of a connection whose time is over.
    #[napi]
    pub fn tick(&self, number: u32) {
        if let Ok(connection) = self.connection(number) {
            connection.tick();
        }
    }

    /// Ends a connection at once.
    #[napi]
    pub fn disconnect(&self, number: u32) {
        let connection = self.connections.borrow_mut().remove(&number);
        if let Some(connection) = connection {
            connection.close();
        }
    }
}

impl Engine {
    /// Out of the map, so that nothing is borrowed while the engine is at work.
    fn connection(&self, number: u32) -> Result<Connection> {
        self.connections.borrow().get(&number).cloned().ok_or_else(|| closed("the connection is closed"))
    }
}
