/** A stretch of time, from its beginning until before its end (milliseconds since 1970). */
export type Span = { from: number; to: number };

/** The parts of a span that none of these has, in order. `spans` are in order and apart from each other. */
export function missingOf(spans: readonly Span[], { from, to }: Span): Span[] {
  const missing: Span[] = [];
  let start = from;
  for (const span of spans) {
    if (span.to <= start) continue;
    if (span.from >= to) break;
    if (span.from > start) missing.push({ from: start, to: span.from });
    start = span.to;
  }
  if (start < to) missing.push({ from: start, to });
  return missing;
}

/** The spans as fewest: in order, those that touch as one. */
export function joined(spans: readonly Span[]): Span[] {
  const list: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = list.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else list.push({ from, to });
  }
  return list;
}

/** What both have in common. */
export const common = (spans: readonly Span[], others: readonly Span[]): Span[] =>
  spans.flatMap(span =>
    others.flatMap(other => {
      const [from, to] = [Math.max(span.from, other.from), Math.min(span.to, other.to)];
      return from < to ? [{ from, to }] : [];
    }),
  );

export const isWithin = (time: number, spans: readonly Span[]): boolean =>
  spans.some(({ from, to }) => time >= from && time < to);
