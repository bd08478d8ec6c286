//! Names carry the ids of the requirements that they show.

mod bounds;
mod dialects;
mod headers;
mod patterns;
mod references;
mod suite;
mod values;
mod violations;

use super::{header_params, HeaderKind, HeaderParam, Schema, SchemaFault, SchemaOptions, Violations};
use crate::json::Document;

fn read(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec()).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

fn options() -> SchemaOptions {
    SchemaOptions::default()
}

fn compile(text: &str) -> Result<Schema, Vec<SchemaFault>> {
    Schema::compile(read(text).root(), &options())
}

fn schema(text: &str) -> Schema {
    compile(text).unwrap_or_else(|faults| panic!("{faults:?}: {text}"))
}

fn check(schema: &Schema, instance: &str) -> Result<(), Violations> {
    schema.check(read(instance).root())
}

fn violations(text: &str, instance: &str) -> String {
    check(&schema(text), instance).expect_err(instance).to_string()
}

/// Rows of schema, instance, whether it is valid.
fn table(rows: &[(&str, &str, bool)]) {
    for (text, instance, valid) in rows {
        let verdict = check(&schema(text), instance);
        assert_eq!(verdict.is_ok(), *valid, "{text} on {instance}: {verdict:?}");
    }
}

/// Rows of schema, pointer of a fault, part of its reason.
fn refused(rows: &[(&str, &str, &str)]) {
    for (text, pointer, reason) in rows {
        let faults = compile(text).expect_err(text);
        let found = faults.iter().any(|fault| fault.pointer == *pointer && fault.reason.contains(reason));
        assert!(found, "{text}: {faults:?}");
        for fault in &faults {
            assert!(fault.reason.chars().count() < 200 && !fault.reason.contains('\n'), "{fault:?}");
        }
    }
}
