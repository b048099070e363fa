/** Calls that the API document types, by `fetch`: of the library of the types, what this dashboard needs of it at run time. */
import type { Client } from 'openapi-fetch';
import type { paths } from './schema';

type Api = Pick<Client<paths>, 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>;

type Values = Readonly<Record<string, unknown>>;

interface Options {
  params?: { path?: Values; query?: Values; header?: Values };
  body?: unknown;
  headers?: Values;
  signal?: AbortSignal | null;
  /** In place of JSON. */
  parseAs?: 'json' | 'text' | 'blob' | 'stream';
}

export function clientOf(send: (request: Request) => Promise<Response>, base = ''): Api {
  const call =
    (method: string) =>
    async (path: string, options: Options = {}) => {
      const { params = {}, body, headers, signal, parseAs } = options;
      const sent = new Headers(body === undefined ? {} : { 'content-type': 'application/json' });
      for (const [name, value] of given({ ...params.header, ...headers })) sent.set(name, value);
      const response = await send(
        new Request(base + address(path, params), {
          method,
          headers: sent,
          signal: signal ?? null,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      return response.ok
        ? { data: await read(response, parseAs), response }
        : { error: json(await response.text()), response };
    };
  return {
    GET: call('GET'),
    POST: call('POST'),
    PUT: call('PUT'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
  } as unknown as Api;
}

/** The path with its parameters, and the query; what is not given is left out. */
export function address(template: string, { path = {}, query = {} }: NonNullable<Options['params']>): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const text = String(new URLSearchParams(given(query)));
  return text === '' ? filled : `${filled}?${text}`;
}

/** Names and values; those of a list one after another. */
function given(values: Values): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(one => one !== undefined && one !== null)
      .map((one): [string, string] => [name, String(one)]),
  );
}

async function read(response: Response, as: Options['parseAs'] = 'json'): Promise<unknown> {
  if (as === 'stream') return response.body;
  if (as === 'blob') return response.blob();
  const text = await response.text();
  if (as === 'text') return text;
  return text === '' ? undefined : JSON.parse(text);
}

/** A refusal that something between here and the service wrote may be no JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
