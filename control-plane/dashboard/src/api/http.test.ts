import { describe, expect, it } from 'vitest';
import { address, clientOf } from './http';

const BASE = 'http://own.test';

function answering(answer: Response) {
  const sent: Request[] = [];
  const client = clientOf(async request => {
    sent.push(request);
    return answer;
  }, BASE);
  return { client, sent };
}

describe('an address', () => {
  it.each([
    ['/v1/a', {}, '/v1/a'],
    ['/v1/{id}/b/{key}', { path: { id: 'x', key: 'a/b ?' } }, '/v1/x/b/a%2Fb%20%3F'],
    ['/v1/a', { query: { limit: 1, all: false, none: undefined, no: null } }, '/v1/a?limit=1&all=false'],
    ['/v1/a', { query: { q: 'a&b +', tag: ['x', 'y'] } }, '/v1/a?q=a%26b+%2B&tag=x&tag=y'],
  ])('%s with %j is %s', (template, params, expected) => {
    expect(address(template, params)).toBe(expected);
  });
});

describe('a call', () => {
  it('sends JSON with its headers, and reads JSON', async () => {
    const { client, sent } = answering(Response.json({ id: 'p' }));
    const { data, response } = await client.POST('/v1/projects', {
      body: { name: 'Shop' },
      headers: { 'if-match': '"1"' },
    });
    expect(data).toEqual({ id: 'p' });
    expect(response.status).toBe(200);
    const [request] = sent;
    expect(request?.url).toBe(`${BASE}/v1/projects`);
    expect(request?.headers.get('content-type')).toBe('application/json');
    expect(request?.headers.get('if-match')).toBe('"1"');
    expect(await request?.json()).toEqual({ name: 'Shop' });
  });

  it('without a body has neither type nor text', async () => {
    const { client, sent } = answering(new Response(null, { status: 204 }));
    expect((await client.GET('/v1/me')).data).toBeUndefined();
    expect(sent[0]?.headers.has('content-type')).toBe(false);
  });

  it.each([
    ['{"error":"no"}', { error: 'no' }],
    ['<html>', '<html>'],
  ])('gives a refusal of %s as %j', async (text, error) => {
    const { client } = answering(new Response(text, { status: 502 }));
    expect(await client.GET('/v1/me')).toMatchObject({ error });
  });

  it('may be read as text', async () => {
    const { client } = answering(new Response('a,b'));
    expect((await client.GET('/v1/me', { parseAs: 'text' })).data).toBe('a,b');
  });

  it('is given up by its signal', async () => {
    const stop = new AbortController();
    const { client, sent } = answering(Response.json({}));
    await client.GET('/v1/me', { signal: stop.signal });
    stop.abort();
    expect(sent[0]?.signal.aborted).toBe(true);
  });
});
