'use strict';

const { McpError } = require('./errors.js');
const { Limit } = require('./limit.js');
const { jsonSchema, parser } = require('./schema.js');

/** What stands in a definition for the engine only, under `mcpcore`. */
const SETTINGS = ['scopes', 'timeoutMs', 'ttlMs', 'cacheScope', 'asksInput', 'allowTraversal'];

function split(given) {
  const { concurrency, ...definition } = given;
  const settings = {};
  for (const name of SETTINGS) {
    if (definition[name] !== undefined) settings[name] = definition[name];
    delete definition[name];
  }
  if (Object.keys(settings).length > 0) definition.mcpcore = settings;
  return { definition, limit: limit(concurrency) };
}

function limit(most) {
  if (most === undefined) return undefined;
  if (Number.isInteger(most) && most > 0) return new Limit(most);
  throw new McpError('INVALID_ARGUMENT', `concurrency: must be a whole number of at least 1, not ${most}`);
}

/** A tool, resource, template or prompt with its handler. */
class Item {
  constructor(list, key, definition, handler, extra = {}) {
    if (typeof handler !== 'function') {
      throw new McpError('INVALID_ARGUMENT', `${list} ${JSON.stringify(key)}: the handler must be a function`);
    }
    this.list = list;
    this.key = key;
    this.definition = definition;
    this.handler = handler;
    this.limit = undefined;
    this.parse = undefined;
    Object.assign(this, extra);
  }
}

function tool(given, handler) {
  const { definition, limit: gate } = split(given);
  const where = `tool ${JSON.stringify(given.name)}`;
  if (given.inputSchema !== undefined) {
    definition.inputSchema = jsonSchema(given.inputSchema, 'input', `${where}: inputSchema`);
  }
  if (given.outputSchema !== undefined) {
    definition.outputSchema = jsonSchema(given.outputSchema, 'output', `${where}: outputSchema`);
  }
  const structured = definition.outputSchema !== undefined;
  return new Item('tools', given.name, definition, handler, {
    limit: gate,
    structured,
    parse: parser(given.inputSchema),
  });
}

/** What a resource is called where the author gave only its uri. */
const nameOf = (given, uri) => ({ ...given, name: given.name ?? uri });

function resource(given, handler) {
  const fixed = given.uri !== undefined;
  if (fixed === (given.uriTemplate !== undefined)) {
    throw new McpError('INVALID_ARGUMENT', 'a resource has either a `uri` or a `uriTemplate`');
  }
  const key = fixed ? given.uri : given.uriTemplate;
  const { definition, limit: gate } = split(nameOf(given, key));
  const extra = { limit: gate, mimeType: given.mimeType };
  return new Item(fixed ? 'resources' : 'resourceTemplates', key, definition, handler, extra);
}

/** Prompt arguments from a schema: they are strings, so its properties' names and texts are all there is. */
function promptArguments(schema, where) {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input', where);
  return Object.entries(properties).map(([name, { title, description }]) => ({
    name,
    title,
    description,
    required: required.includes(name) || undefined,
  }));
}

function prompt(given, handler) {
  const { argsSchema, ...rest } = given;
  const { definition, limit: gate } = split(rest);
  const where = `prompt ${JSON.stringify(given.name)}: argsSchema`;
  if (argsSchema !== undefined) definition.arguments = promptArguments(argsSchema, where);
  return new Item('prompts', given.name, definition, handler, { limit: gate, parse: parser(argsSchema) });
}

const LISTS = ['tools', 'resources', 'resourceTemplates', 'prompts'];

/** Everything that was registered item by item. */
class Registry {
  #lists = Object.fromEntries(LISTS.map((list) => [list, new Map()]));
  #completions = new Map();

  get size() {
    return LISTS.reduce((sum, list) => sum + this.#lists[list].size, 0);
  }

  has(...lists) {
    return lists.some((list) => this.#lists[list].size > 0);
  }

  get completes() {
    return this.#completions.size > 0;
  }

  add(item) {
    const list = this.#lists[item.list];
    if (list.has(item.key)) {
      throw new McpError('CATALOG', `${item.list} ${JSON.stringify(item.key)}: stands twice; remove the first one`);
    }
    list.set(item.key, item);
  }

  remove(item) {
    const list = this.#lists[item.list];
    return list.get(item.key) === item && list.delete(item.key);
  }

  complete(of, argument, handler) {
    const key = `${of}\n${argument}`;
    this.#completions.set(key, new Item('completions', key, {}, handler));
  }

  /** The item that answers a call. */
  find(call) {
    switch (call.kind) {
      case 'tool':
        return this.#lists.tools.get(call.name);
      case 'prompt':
        return this.#lists.prompts.get(call.name);
      case 'resource':
        return this.#lists.resources.get(call.name) ?? this.#lists.resourceTemplates.get(call.template);
      default:
        return this.#completions.get(`${call.name}\n${call.arguments.argument.name}`);
    }
  }

  /** The catalog document. */
  document() {
    const document = {};
    for (const list of LISTS) document[list] = [...this.#lists[list].values()].map((item) => item.definition);
    return JSON.stringify(document);
  }
}

module.exports = { Registry, tool, resource, prompt };
