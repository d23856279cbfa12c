import { LRUCache } from 'lru-cache';
import { DAY } from './time.ts';

/**
 * How far a zone's clocks are ahead of UTC at a moment, in milliseconds. `zone` is an IANA name that Intl knows. Asking Intl costs
 * microseconds, so a UTC day that begins and ends alike is remembered; on days when the clocks change Intl is asked each time.
 */
export function offsetAt(zone: string, at: number): number {
  if (zone === 'UTC') return 0;
  const entry = zoneOf(zone);
  const day = Math.floor(at / DAY);
  return offsetOfDay(entry, day) ?? ask(entry, at);
}

/** The first moment at which the clocks of a zone show `wall` (milliseconds since 1970 as if in UTC) or, where that is left out, later. */
export function firstMoment(zone: string, wall: number): number {
  if (zone === 'UTC') return wall;
  // No zone is a day away from UTC, and none changes its clocks twice in two days.
  const offsets = [offsetAt(zone, wall - DAY), offsetAt(zone, wall + DAY)].toSorted((a, b) => b - a);
  const offset = offsets.find(offset => offsetAt(zone, wall - offset) === offset);
  return offset === undefined ? firstChange(zone, wall - DAY, wall + DAY) : wall - offset;
}

/** The first moment after `from` and up to `to` with another offset than `from` has; there must be one, and no second. */
export function firstChange(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from);
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** A zone and the offsets of its days; null: they change on that day. */
type Zone = { format: Intl.DateTimeFormat; days: Map<number, number | null> };

const zones = new LRUCache<string, Zone>({ max: 1_000 });
const MOST_DAYS = 2_000;

function zoneOf(name: string): Zone {
  const cached = zones.get(name);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const zone: Zone = { format, days: new Map() };
  zones.set(name, zone);
  return zone;
}

function offsetOfDay(zone: Zone, day: number): number | null {
  const cached = zone.days.get(day);
  if (cached !== undefined) return cached;
  const first = ask(zone, day * DAY);
  const offset = first === ask(zone, (day + 1) * DAY) ? first : null;
  if (zone.days.size >= MOST_DAYS) zone.days.clear();
  zone.days.set(day, offset);
  return offset;
}

function ask({ format }: Zone, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const [month = 0, day = 0, year = 0, ...clock] = (format.format(second).match(/\d+/g) ?? []).map(Number);
  const [hours = 0, minutes = 0, seconds = 0] = clock;
  return Date.UTC(year, month - 1, day, hours, minutes, seconds) - second;
}
