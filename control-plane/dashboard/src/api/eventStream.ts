/** A parser of `text/event-stream`, fed with pieces of text as they come. */
export interface StreamEvent {
  event: string;
  data: string;
  id: string | null;
}

export class EventStreamParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | null = null;

  /** The events that `text` completes. A piece may end anywhere, also between the two ends of a line. */
  push(text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = this.#line(line);
      if (event !== null) events.push(event);
    }
    return events;
  }

  #line(line: string): StreamEvent | null {
    if (line === '') return this.#dispatch();
    const at = line.indexOf(':');
    if (at === 0) return null;
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'event') this.#event = value;
    if (name === 'data') this.#data.push(value);
    if (name === 'id' && !value.includes('\0')) this.#id = value;
    return null;
  }

  #dispatch(): StreamEvent | null {
    const event = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    return isEmpty ? null : event;
  }
}
