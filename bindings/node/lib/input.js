'use strict';

const { jsonSchema } = require('./schema.js');

/**
 * Ends this round of a call and asks the client. Handlers that catch everything must let it pass; an injected dispatch
 * may return it.
 */
class InputRequired extends Error {
  constructor(requests, state) {
    super('the client has to answer first');
    this.name = 'InputRequired';
    this.requests = requests;
    this.state = state;
  }
}

const elicitation = (message, schema) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: jsonSchema(schema, 'input', 'requestedSchema') },
});
const page = (message, url) => ({ method: 'elicitation/create', params: { mode: 'url', message, url } });
const sampling = (params) => ({ method: 'sampling/createMessage', params });
const roots = () => ({ method: 'roots/list' });

module.exports = { InputRequired, elicitation, page, sampling, roots };
