/** One event of a stream of server-sent events. */
export interface StreamEvent {
  name: string;
  /** The last one that was sent. */
  id: string;
}

/** What one stream leaves to the next. */
export interface Place {
  id: string;
  /** After how many milliseconds the server wants to be asked again when the stream has ended. */
  retry?: number;
}

/** Reads a stream of server-sent events piece by piece; gives the events that each piece completes. */
export function eventReader({ id, retry }: Place = { id: '' }) {
  const decoder = new TextDecoder();
  let rest = '';
  let name = '';
  let hasData = false;
  const reader = {
    id,
    retry,
    read(piece: Uint8Array): StreamEvent[] {
      const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      const events: StreamEvent[] = [];
      for (const line of lines) {
        if (line) take(line);
        else {
          if (hasData) events.push({ name, id: reader.id });
          name = '';
          hasData = false;
        }
      }
      return events;
    },
  };
  const take = (line: string) => {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'data') hasData = true;
    else if (field === 'id') reader.id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) reader.retry = Number(value);
  };
  return reader;
}
