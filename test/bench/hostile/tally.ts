import { setTimeout as pause } from 'node:timers/promises';
import type { Answered, Sent } from '#test/helpers/requests.ts';

/** A request that has no answer after so long counts as one that hangs: longer than the longest that the interface lets wait. */
const HANG = 45_000;
/** Findings that are shown of each kind. */
const MOST_SHOWN = 5;

/** What was found in one part of the bench. */
export type Tally = {
  requests: number;
  /** Answers of 500 and above. */
  errors: number;
  /** What somebody was told, or could do, and should not. */
  leaks: number;
  hangs: number;
  /** What was found, in a few words each. */
  found: string[];
};

export const newTally = (): Tally => ({ requests: 0, errors: 0, leaks: 0, hangs: 0, found: [] });

export function note(tally: Tally, kind: 'errors' | 'leaks' | 'hangs', what: string): void {
  tally[kind] += 1;
  if (tally[kind] <= MOST_SHOWN) tally.found.push(`${kind}: ${what.slice(0, 400)}`);
}

/** Sends a request and counts what comes of it. `secrets` are texts that no answer must hold; who has sent one knows it from then on. */
export async function counted(
  tally: Tally,
  send: (sent: Sent) => Promise<Answered>,
  sent: Sent,
  secrets: Set<string>,
): Promise<Answered> {
  tally.requests += 1;
  for (const secret of secrets) if (isIn(sent, secret)) secrets.delete(secret);
  const late = new AbortController();
  const answered = await Promise.race([
    send(sent).catch(() => ({ status: 0, text: '', type: '' })),
    pause(HANG, null, { signal: late.signal }).catch(() => null),
  ]);
  late.abort();
  const what = `${sent.method} ${sent.path.slice(0, 120)}`;
  if (!answered) {
    note(tally, 'hangs', what);
    return { status: 0, text: '', type: '' };
  }
  if (answered.status >= 500) note(tally, 'errors', `${answered.status} ${what} ${answered.text.slice(0, 200)}`);
  const told = [...secrets].find(secret => answered.text.includes(secret));
  if (told !== undefined) note(tally, 'leaks', `${what} tells ${told}`);
  return answered;
}

const isIn = ({ path, body }: Sent, text: string) => path.includes(text) || (body?.includes(text) ?? false);
