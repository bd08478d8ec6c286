'use strict';

const { McpError } = require('./errors.js');

const isStandard = (schema) =>
  schema !== null && ['object', 'function'].includes(typeof schema) && '~standard' in schema;

const REMEDY = {
  zod: 'zod brings one from 4.2 on',
  valibot: "wrap it: toStandardJsonSchema(schema) of '@valibot/to-json-schema'",
  arktype: 'arktype brings one from 2.1.28 on',
};

/** The JSON Schema of what a user gave: JSON Schema itself, or a Standard Schema with a converter. */
function jsonSchema(schema, side, where) {
  if (!isStandard(schema)) {
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema;
    throw new McpError('INVALID_ARGUMENT', `${where}: must be a JSON Schema object or a Standard Schema`);
  }
  const { vendor, jsonSchema: converter } = schema['~standard'];
  if (!converter) {
    const remedy = REMEDY[vendor] ?? 'give JSON Schema instead';
    throw new McpError('INVALID_ARGUMENT', `${where}: this ${vendor} schema has no JSON Schema converter; ${remedy}`);
  }
  try {
    return converter[side]({ target: 'draft-2020-12' });
  } catch (cause) {
    throw new McpError('INVALID_ARGUMENT', `${where}: no JSON Schema can be made of it: ${cause.message}`, { cause });
  }
}

function pointer(path = []) {
  const steps = path.map((step) => String(typeof step === 'object' ? step.key : step));
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** What is wrong, a line each, for a model to read. */
function explain(issues) {
  const lines = issues.map(({ path, message }) => `${pointer(path) || 'arguments'}: ${message}`);
  return `The arguments are not valid:\n${lines.join('\n')}`;
}

/** A function from arguments to what the schema makes of them; nothing where the engine's own check is all. */
function parser(schema) {
  if (!isStandard(schema) || typeof schema['~standard'].validate !== 'function') return undefined;
  const standard = schema['~standard'];
  return (value) => standard.validate(value);
}

module.exports = { isStandard, jsonSchema, parser, explain };
