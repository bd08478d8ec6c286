//! The items of a catalog, ready for use.

use super::cursor::List;
use super::directory::Directory;
use super::listing::render;
use super::settings::{ItemSettings, Settings};
use super::uri_template::UriTemplate;
use crate::json::{Kind, Node};
use crate::protocol::definition::{self, kind_word, shown, Checks};
use crate::protocol::edition;
use crate::schema::{header_params, HeaderParam, Schema, SchemaFault, SchemaOptions};
use std::sync::Arc;

/// What a tool without a schema is listed with and checked against.
pub(super) const OPEN_SCHEMA: &str = r#"{"type":"object"}"#;

/// What reading an item may look at.
pub(super) struct Context<'c> {
    pub(super) settings: &'c Settings,
    /// [`OPEN_SCHEMA`].
    pub(super) open_schema: Node<'c>,
    /// Where the page that a tool links is looked up. Not yet there while resources are read.
    pub(super) directory: Option<&'c Directory>,
}

/// An item of one of the four lists.
pub(super) trait Item: Sized {
    /// The list that it stands in.
    const LIST: List;
    /// What it is called in messages.
    const WORD: &'static str;
    /// What of its definition an older revision knows.
    const SHAPE: edition::Shape;
    /// The member that tells it from the others of its list.
    const KEY: &'static str;

    /// Reads a definition and notes its faults; nothing if too little of it can be used.
    fn read(checks: &mut Checks, node: Node<'_>, context: &Context<'_>) -> Option<Self>;
    /// What tells it from the others of its list.
    fn key(&self) -> &Arc<str>;
    /// Its text in the list.
    fn definition(&self) -> &[u8];
    /// What it says to the engine.
    fn settings(&self) -> &ItemSettings;
    /// Roughly the bytes it holds besides its definition.
    fn weight(&self) -> usize;
}

/// Something a model can have done.
pub(crate) struct Tool {
    pub(crate) name: Arc<str>,
    pub(crate) definition: Box<[u8]>,
    pub(crate) input: Schema,
    pub(crate) output: Option<Schema>,
    pub(crate) headers: Vec<HeaderParam>,
    pub(crate) settings: ItemSettings,
}

/// Something that can be read at one uri.
pub(crate) struct Resource {
    pub(crate) uri: Arc<str>,
    pub(crate) name: Box<str>,
    pub(crate) mime_type: Option<Box<str>>,
    pub(crate) definition: Box<[u8]>,
    pub(crate) settings: ItemSettings,
}

/// Resources whose uris follow one pattern.
pub(crate) struct Template {
    pub(crate) text: Arc<str>,
    pub(crate) pattern: UriTemplate,
    pub(crate) mime_type: Option<Box<str>>,
    pub(crate) definition: Box<[u8]>,
    pub(crate) settings: ItemSettings,
}

/// A text that a user picks and fills in.
pub(crate) struct Prompt {
    pub(crate) name: Arc<str>,
    pub(crate) arguments: Box<[PromptArgument]>,
    pub(crate) definition: Box<[u8]>,
    pub(crate) settings: ItemSettings,
}

/// One blank of a prompt.
pub(crate) struct PromptArgument {
    pub(crate) name: Box<str>,
    pub(crate) required: bool,
}

impl Item for Tool {
    const LIST: List = List::Tools;
    const WORD: &'static str = "tool";
    const SHAPE: edition::Shape = edition::TOOL;
    const KEY: &'static str = "name";

    fn read(checks: &mut Checks, node: Node<'_>, context: &Context<'_>) -> Option<Self> {
        definition::tool(checks, node);
        let settings = ItemSettings::read(checks, node, Self::LIST);
        let input_node = node.get("inputSchema").unwrap_or(context.open_schema);
        let input = checks.at("inputSchema", |checks| schema(checks, input_node, context, true));
        let headers = checks.at("inputSchema", |checks| {
            let found = if input_node.is_object() { header_params(input_node) } else { Ok(Vec::new()) };
            fitting(checks, found)
        });
        let output = node.get("outputSchema");
        let output =
            output.map(|node| checks.at("outputSchema", |checks| schema(checks, node, context, false)));
        check_page(checks, node, context);
        Some(Self {
            name: text(node, "name")?.into(),
            definition: render(node, Some(("inputSchema", OPEN_SCHEMA))),
            input: input?,
            output: match output {
                Some(made) => Some(made?),
                None => None,
            },
            headers: headers?,
            settings,
        })
    }

    fn key(&self) -> &Arc<str> {
        &self.name
    }

    fn definition(&self) -> &[u8] {
        &self.definition
    }

    fn settings(&self) -> &ItemSettings {
        &self.settings
    }

    fn weight(&self) -> usize {
        // A validator takes several times the room of its text.
        const VALIDATOR: usize = 16;
        size_of::<Self>() + self.definition.len() * VALIDATOR
    }
}

impl Item for Resource {
    const LIST: List = List::Resources;
    const WORD: &'static str = "resource";
    const SHAPE: edition::Shape = edition::RESOURCE;
    const KEY: &'static str = "uri";

    fn read(checks: &mut Checks, node: Node<'_>, _context: &Context<'_>) -> Option<Self> {
        definition::resource(checks, node);
        let settings = ItemSettings::read(checks, node, Self::LIST);
        let uri: Arc<str> = text(node, "uri")?.into();
        let mime_type = text(node, "mimeType");
        warn_of_page(checks, &uri, mime_type.as_deref());
        let name = text(node, "name")?;
        Some(Self { uri, name, mime_type, definition: render(node, None), settings })
    }

    fn key(&self) -> &Arc<str> {
        &self.uri
    }

    fn definition(&self) -> &[u8] {
        &self.definition
    }

    fn settings(&self) -> &ItemSettings {
        &self.settings
    }

    fn weight(&self) -> usize {
        size_of::<Self>() + self.name.len() + self.mime_type.as_deref().map_or(0, str::len)
    }
}

impl Item for Template {
    const LIST: List = List::ResourceTemplates;
    const WORD: &'static str = "resource template";
    const SHAPE: edition::Shape = edition::RESOURCE;
    const KEY: &'static str = "uriTemplate";

    fn read(checks: &mut Checks, node: Node<'_>, _context: &Context<'_>) -> Option<Self> {
        definition::template(checks, node);
        let settings = ItemSettings::read(checks, node, Self::LIST);
        let key: Arc<str> = text(node, Self::KEY).filter(|key| !key.is_empty())?.into();
        let pattern = match UriTemplate::parse(&key, settings.allow_traversal) {
            Ok(pattern) => pattern,
            Err(reason) => {
                checks.at(Self::KEY, |checks| checks.fault(reason));
                return None;
            }
        };
        let mime_type = text(node, "mimeType");
        warn_of_page(checks, &key, mime_type.as_deref());
        Some(Self { text: key, pattern, mime_type, definition: render(node, None), settings })
    }

    fn key(&self) -> &Arc<str> {
        &self.text
    }

    fn definition(&self) -> &[u8] {
        &self.definition
    }

    fn settings(&self) -> &ItemSettings {
        &self.settings
    }

    fn weight(&self) -> usize {
        size_of::<Self>() + self.text.len() * 4 + self.mime_type.as_deref().map_or(0, str::len)
    }
}

impl Item for Prompt {
    const LIST: List = List::Prompts;
    const WORD: &'static str = "prompt";
    const SHAPE: edition::Shape = edition::PROMPT;
    const KEY: &'static str = "name";

    fn read(checks: &mut Checks, node: Node<'_>, _context: &Context<'_>) -> Option<Self> {
        definition::prompt(checks, node);
        let settings = ItemSettings::read(checks, node, Self::LIST);
        let arguments = node.get("arguments").map(Node::elements).into_iter().flatten();
        let arguments = arguments.filter_map(|argument| {
            let required = argument.get("required").and_then(Node::as_bool).unwrap_or(false);
            Some(PromptArgument { name: text(argument, "name")?, required })
        });
        Some(Self {
            name: text(node, "name")?.into(),
            arguments: arguments.collect(),
            definition: render(node, None),
            settings,
        })
    }

    fn key(&self) -> &Arc<str> {
        &self.name
    }

    fn definition(&self) -> &[u8] {
        &self.definition
    }

    fn settings(&self) -> &ItemSettings {
        &self.settings
    }

    fn weight(&self) -> usize {
        let argument = |argument: &PromptArgument| size_of::<PromptArgument>() + argument.name.len();
        size_of::<Self>() + self.arguments.iter().map(argument).sum::<usize>()
    }
}

fn text(node: Node<'_>, name: &str) -> Option<Box<str>> {
    node.get(name).and_then(Node::as_str).map(Into::into)
}

fn schema(checks: &mut Checks, node: Node<'_>, context: &Context<'_>, root_object: bool) -> Option<Schema> {
    if node.kind() != Kind::Object {
        checks.fault(format!("must be a JSON Schema, an object, not {}", kind_word(node.kind())));
        return None;
    }
    let options = SchemaOptions { check_formats: context.settings.check_formats, root_object };
    fitting(checks, Schema::compile(node, &options))
}

/// What was made, or the faults that kept it from being made, noted below the place.
fn fitting<T>(checks: &mut Checks, made: Result<T, Vec<SchemaFault>>) -> Option<T> {
    match made {
        Ok(made) => Some(made),
        Err(faults) => {
            for fault in faults {
                checks.below(&fault.pointer, |checks| checks.fault(fault.reason));
            }
            None
        }
    }
}

/// APPS-04: the page that a tool links is on offer and is a page.
fn check_page(checks: &mut Checks, node: Node<'_>, context: &Context<'_>) {
    let Some(directory) = context.directory else {
        return;
    };
    let Some(uri) = node.pointer("/_meta/ui/resourceUri").and_then(Node::as_str) else {
        return;
    };
    // A wrong scheme was noted with the shape of `_meta.ui`.
    if !uri.starts_with(definition::UI_SCHEME) {
        return;
    }
    let reason = match directory.mime_type(&uri) {
        None => format!("{} is no resource of this catalog", shown(&uri)),
        Some(definition::UI_MIME_TYPE) => return,
        Some(_) => format!("{} must have the mimeType \"{}\"", shown(&uri), definition::UI_MIME_TYPE),
    };
    checks.below("/_meta/ui/resourceUri", |checks| checks.fault(reason));
}

/// APPS-08: the scheme of pages is for pages.
fn warn_of_page(checks: &mut Checks, uri: &str, mime_type: Option<&str>) {
    if uri.starts_with(definition::UI_SCHEME) && mime_type != Some(definition::UI_MIME_TYPE) {
        let reason =
            format!("ui:// is reserved for pages with the mimeType \"{}\"", definition::UI_MIME_TYPE);
        checks.warn(reason);
    }
}
