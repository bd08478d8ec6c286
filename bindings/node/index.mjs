import mcpcore from './index.js';

export const {
  Server,
  Client,
  Call,
  McpError,
  ToolError,
  Rejection,
  Refusal,
  InputRequired,
  ToolResult,
  text,
  image,
  audio,
  resourceLink,
  embeddedResource,
  user,
  assistant,
  rawResult,
  version,
} = mcpcore;
