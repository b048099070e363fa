import { describe, expect, it } from 'vitest';
import { EventStreamParser, type StreamEvent } from './eventStream';

const TEXT =
  ': hello\n\nretry: 1000\nid: 7\nevent: change\ndata: {"a":\ndata: 1}\n\ndata:x\r\n\r\nevent: empty\n\n';
const EVENTS: StreamEvent[] = [
  { event: 'change', data: '{"a":\n1}', id: '7' },
  { event: 'message', data: 'x', id: '7' },
];

describe('an event stream', () => {
  it('is read in one piece', () => {
    expect(new EventStreamParser().push(TEXT)).toEqual(EVENTS);
  });

  it.each([1, 2, 3, 5, 11])('is read in pieces of %i characters', size => {
    const parser = new EventStreamParser();
    const events: StreamEvent[] = [];
    for (let at = 0; at < TEXT.length; at += size) events.push(...parser.push(TEXT.slice(at, at + size)));
    expect(events).toEqual(EVENTS);
  });

  it('keeps an event that is not complete', () => {
    const parser = new EventStreamParser();
    expect(parser.push('data: a\n')).toEqual([]);
    expect(parser.push('\n')).toEqual([{ event: 'message', data: 'a', id: null }]);
  });
});
