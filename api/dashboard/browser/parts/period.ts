const HOUR = 3_600_000;

type Address = Record<string, string | undefined>;
type Range = { from: string | undefined; to: string | undefined };

/** Periods that a list can be narrowed to, in the reader's days. They begin at whole hours, so that for an hour it is the same question. */
export const periods: Record<string, { label: string; of: (now: Date) => [from: Date, to?: Date] }> = {
  today: { label: 'Today', of: now => [dayOf(now)] },
  yesterday: { label: 'Yesterday', of: now => [dayOf(now, -1), dayOf(now)] },
  '24h': { label: 'Last 24 hours', of: now => [new Date((Math.floor(now.getTime() / HOUR) - 23) * HOUR)] },
  '7d': { label: 'Last 7 days', of: now => [dayOf(now, -6)] },
  '30d': { label: 'Last 30 days', of: now => [dayOf(now, -29)] },
  month: { label: 'This month', of: now => [monthOf(now)] },
  last_month: { label: 'Last month', of: now => [monthOf(now, -1), monthOf(now)] },
};

const dayOf = (now: Date, by = 0): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() + by);
const monthOf = (now: Date, by = 0): Date => new Date(now.getFullYear(), now.getMonth() + by, 1);

/** From when until when an address asks: its `period`, or its `from` and `to`. */
export function rangeOf({ period, from, to }: Address, now = new Date()): Range {
  const preset = period !== undefined && Object.hasOwn(periods, period) ? periods[period] : undefined;
  if (!preset) return { from: from || undefined, to: to || undefined };
  const [first, end] = preset.of(now);
  return { from: first.toISOString(), to: end?.toISOString() };
}

/** As long a time just before; null where the address has no beginning. What has not ended yet counts until the end of this hour. */
export function rangeBefore(address: Address, now = Date.now()): { from: string; to: string } | null {
  const { from, to } = rangeOf(address, new Date(now));
  if (from === undefined) return null;
  const start = Date.parse(from);
  const end = to === undefined ? Math.ceil(now / HOUR) * HOUR : Date.parse(to);
  if (!(end > start)) return null;
  return { from: new Date(start - (end - start)).toISOString(), to: new Date(start).toISOString() };
}

/** What narrows a list to a period: `from` and `to` of its operation, together one choice among the filters. */
export const periodFilters = [
  {
    name: 'from',
    label: 'Period',
    kind: 'period',
    sends: (_: string | undefined, address: Address) => rangeOf(address).from,
  },
  {
    name: 'to',
    label: 'Until',
    kind: 'hidden',
    sends: (_: string | undefined, address: Address) => rangeOf(address).to,
  },
] as const;
