'use strict';

const { Server } = require('./lib/server.js');
const { Client } = require('./lib/client.js');
const { Call } = require('./lib/call.js');
const { McpError, ToolError, Rejection, Refusal } = require('./lib/errors.js');
const { InputRequired } = require('./lib/input.js');
const content = require('./lib/content.js');
const { version } = require('./package.json');

module.exports = {
  Server,
  Client,
  Call,
  McpError,
  ToolError,
  Rejection,
  Refusal,
  InputRequired,
  ToolResult: content.ToolResult,
  text: content.text,
  image: content.image,
  audio: content.audio,
  resourceLink: content.resourceLink,
  embeddedResource: content.embeddedResource,
  user: content.user,
  assistant: content.assistant,
  rawResult: content.rawResult,
  version,
};
