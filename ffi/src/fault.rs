//! What was wrong with a handle that is being filled.

use crate::error::mcp_error;
use crate::status::mcp_status;

/// The faults of a handle that is being filled. The setter says its status at once; whoever uses the handle later
/// fails with all of them, so that a host that looks at no status still learns of every mistake, and nothing runs on
/// half of what was meant.
#[derive(Default)]
pub(crate) struct Faults {
    list: Vec<Fault>,
}

struct Fault {
    subject: String,
    status: mcp_status,
    message: String,
}

impl Faults {
    /// Notes the outcome of setting `subject`: a fault stays until the same subject is set well.
    pub(crate) fn note<T>(&mut self, subject: &str, outcome: Result<T, mcp_error>) -> Result<T, mcp_error> {
        match &outcome {
            Ok(_) => self.list.retain(|fault| fault.subject != subject),
            Err(error) => self.list.push(Fault {
                subject: subject.to_owned(),
                status: error.status(),
                message: error.message().to_owned(),
            }),
        }
        outcome
    }

    /// Notes the outcome of adding to a list: nothing that is added later makes up for it.
    pub(crate) fn note_added<T>(
        &mut self,
        subject: &str,
        outcome: Result<T, mcp_error>,
    ) -> Result<T, mcp_error> {
        match outcome {
            Ok(value) => Ok(value),
            Err(error) => self.note(subject, Err(error)),
        }
    }

    /// Every fault as one error, a line each, with the status of the first.
    pub(crate) fn take(&mut self) -> Option<mcp_error> {
        let error = self.peek();
        self.list.clear();
        error
    }

    /// As [`Faults::take`], but they stay.
    pub(crate) fn peek(&self) -> Option<mcp_error> {
        let status = self.list.first()?.status;
        let lines: Vec<&str> = self.list.iter().map(|fault| fault.message.as_str()).collect();
        Some(mcp_error::new(status, &lines.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_stays_until_its_subject_is_set_well() {
        let mut faults = Faults::default();
        let fault = |text: &str| Err::<(), _>(mcp_error::argument(text));
        assert!(faults.note("a", fault("first")).is_err());
        assert!(faults.note("b", fault("second")).is_err());
        assert_eq!(faults.peek().unwrap().message(), "first\nsecond");
        assert!(faults.note_added("a", Ok(())).is_ok());
        assert!(faults.note("b", Ok(())).is_ok());
        assert_eq!(faults.take().unwrap().message(), "first");
        assert!(faults.take().is_none());
    }
}
