// A server that misbehaves as a test says.

import { once } from 'node:events';
import { createServer } from 'node:http';

/** An answer with all flags as OFREP has it: values by key. */
export const ofrep = (values, stream) => ({
  flags: Object.entries(values).map(([key, value]) => ({
    key,
    value,
    reason: 'DEFAULT',
    variant: 'default',
  })),
  ...(stream && { eventStreams: [{ type: 'sse', url: stream }] }),
});

/** `answer(request, response, body)` is called for each request, whose paths are in `seen`. */
export async function startServer(t, answer) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    seen.push({ path: request.url, at: Date.now(), headers: request.headers, body });
    answer(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, seen };
}

/** Answers with JSON. */
export function json(response, status, body, headers = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
