import { describe, expect, it } from 'vitest';
import { knownZones, localTime, occurrence, offset, readTime } from './zones';

const BERLIN = 'Europe/Berlin';

describe('a time in a zone', () => {
  it.each([
    ['2026-11-24T09:00', BERLIN, '2026-11-24T08:00:00Z'],
    ['2026-07-24T09:00', BERLIN, '2026-07-24T07:00:00Z'],
    ['2026-11-24T09:00:30', 'UTC', '2026-11-24T09:00:30Z'],
    ['2026-11-24T09:00', 'Asia/Kathmandu', '2026-11-24T03:15:00Z'],
    ['2026-12-31T23:30', 'America/New_York', '2027-01-01T04:30:00Z'],
    ['2026-01-01T00:30', 'Pacific/Auckland', '2025-12-31T11:30:00Z'],
  ])('%s in %s is an instant', (local, zone, iso) => {
    expect(readTime(local, zone)).toEqual({ iso, isSkipped: false });
    expect(localTime(iso, zone)).toBe(local);
    expect(occurrence(iso, zone)).toBeNull();
  });

  it.each(['', '2026-13-40T09:00', 'tomorrow'])('%j is none', local => {
    expect(readTime(local, BERLIN)).toEqual({ iso: null, isSkipped: false });
  });

  it('is as much later where clocks go forward over it', () => {
    expect(readTime('2026-03-29T02:30', BERLIN)).toEqual({ iso: '2026-03-29T01:30:00Z', isSkipped: true });
    expect(localTime('2026-03-29T01:30:00Z', BERLIN)).toBe('2026-03-29T03:30');
    expect(readTime('2026-03-29T01:59', BERLIN)).toEqual({ iso: '2026-03-29T00:59:00Z', isSkipped: false });
    expect(readTime('2026-03-29T03:00', BERLIN)).toEqual({ iso: '2026-03-29T01:00:00Z', isSkipped: false });
    // Half an hour, in the south.
    expect(readTime('2026-10-04T02:15', 'Australia/Lord_Howe').isSkipped).toBe(true);
    // A whole day that was left out.
    expect(readTime('2011-12-30T12:00', 'Pacific/Apia').isSkipped).toBe(true);
  });

  it('is the first where clocks go back over it, and each says which it is', () => {
    expect(readTime('2026-10-25T02:30', BERLIN)).toEqual({ iso: '2026-10-25T00:30:00Z', isSkipped: false });
    expect(occurrence('2026-10-25T00:30:00Z', BERLIN)).toBe('first');
    expect(occurrence('2026-10-25T01:30:00Z', BERLIN)).toBe('second');
    expect(occurrence('2026-10-25T02:00:00Z', BERLIN)).toBeNull();
  });
});

it('zones begin with UTC and that of the browser, each once', () => {
  const zones = knownZones();
  expect(zones).toContain('UTC');
  expect(zones.indexOf('UTC')).toBeLessThan(2);
  expect(new Set(zones).size).toBe(zones.length);
  expect(offset(0, 'UTC')).toBe(0);
});
