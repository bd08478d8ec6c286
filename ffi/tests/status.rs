//! The numbers of statuses are frozen, and every kind of error has one.

#[allow(non_camel_case_types, unreachable_pub, reason = "one file of the library, as it is there")]
#[path = "../src/status.rs"]
mod status;

use mcpcore_engine::ErrorKind;
use status::mcp_status;

#[test]
fn every_kind_has_its_frozen_number() {
    let frozen = [
        (ErrorKind::InvalidArgument, 1),
        (ErrorKind::InvalidUtf8, 2),
        (ErrorKind::InvalidJson, 3),
        (ErrorKind::Catalog, 4),
        (ErrorKind::Answered, 5),
        (ErrorKind::Gone, 6),
        (ErrorKind::Closed, 7),
        (ErrorKind::Io, 8),
        (ErrorKind::Timeout, 9),
        (ErrorKind::Busy, 10),
        (ErrorKind::Internal, 99),
    ];
    for &kind in ErrorKind::ALL {
        let number = frozen.iter().find(|(known, _)| *known == kind).map(|(_, number)| *number);
        assert_eq!(Some(mcp_status::from(kind) as i32), number, "{kind:?} needs a status of its own");
    }
    assert_eq!(ErrorKind::ALL.len(), frozen.len());
    assert_eq!(mcp_status::MCP_STATUS_OK as i32, 0);
    assert_eq!(mcp_status::MCP_STATUS_PANIC as i32, 98);
}
