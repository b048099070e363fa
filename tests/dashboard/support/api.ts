import { place } from './places';

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** Somebody who calls the API, as any program would. */
export class Caller {
  constructor(
    readonly base: string = place.api,
    readonly token: string | null = null,
  ) {}

  /** The answer, whatever its status. */
  async ask<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(this.base + path, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const read = (text === '' ? null : JSON.parse(text)) as T;
    return { status: response.status, headers: response.headers, body: read };
  }

  private async demand<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask<T>(method, path, body);
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  get<T>(path: string): Promise<T> {
    return this.demand('GET', path);
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.demand('POST', path, body);
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.demand('PUT', path, body);
  }

  delete<T>(path: string): Promise<T> {
    return this.demand('DELETE', path);
  }
}
