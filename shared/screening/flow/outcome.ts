import { canonicalJson } from '#shared/json/canonical_json.ts';
import { newId } from '#shared/interface/ids.ts';
import { pairKey } from '#shared/screening/store/screening_entries.ts';
import { isExact, type KeptMatch, type StoredMatch } from '#shared/screening/store/screening_matches.ts';
import type { Pair } from '#shared/screening/store/screening_pairs.ts';
import type { Subject } from '#shared/screening/store/screening_query.ts';

/** A match as found, with the position of its entry and the digest of that entry's names. */
export type FoundMatch = Omit<KeptMatch, 'id' | 'decision'>;

/** The result of a payee's latest screening. */
export type Latest = { id: string; state: string; query: Subject; matches: ReadonlyMap<string, StoredMatch> };

type ScreenedState = 'clear' | 'potential_match' | 'confirmed_match' | 'false_positive';

/** The outcome of a new screening of a payee. */
export type ScreeningOutcome = {
  /** Whether it makes a new record, changes the latest one, or adds nothing. */
  record: 'make' | 'change' | 'keep';
  state: ScreenedState;
  score: number;
  matches: KeptMatch[];
  /** The state of the payee: a confirmed match outweighs an undecided one. */
  payee: { state: ScreenedState; score: number | null; match: string | null };
  /** Matches that need a review and that the latest screening did not have. */
  fresh: KeptMatch[];
};

/** The input of a decision about a screened payee. */
export type DecisionInput = {
  subject: Subject;
  /** The matches found, and the confirmed ones, found again or not: see `withConfirmed`. */
  matches: readonly FoundMatch[];
  /** Digest of the payee's names as they are now. */
  names: string;
  /** Earlier decisions about this payee, by `pairKey`. */
  pairs: ReadonlyMap<string, Pair>;
  latest: Latest | null;
  /** It was requested: unless the latest one is still to be reviewed, it makes a new record. */
  asked?: boolean;
  now: number;
};

/**
 * Compares the matches with people's decisions and with the latest screening. A screening that is still to be reviewed, or failed, is
 * changed in place; after any other, only a difference makes a new one.
 */
export function decideOutcome({
  subject,
  matches: candidates,
  names,
  pairs,
  latest,
  asked,
  now,
}: DecisionInput): ScreeningOutcome {
  const matches = candidates.map((match): KeptMatch => ({
    ...match,
    id: latest?.matches.get(pairKey(match))?.id ?? newId('mtc', now),
    decision: decisionOn(match, pairs.get(pairKey(match)), names),
  }));
  const { state, score, payee } = standing(matches);
  const isOpen = latest?.state === 'potential_match' || latest?.state === 'error';
  const differs = latest === null || !isSame(latest, { state, subject, matches });
  const record = !latest || (!isOpen && (asked || differs)) ? 'make' : differs ? 'change' : 'keep';
  return {
    record,
    state,
    score,
    matches: record === 'make' ? matches.map(match => ({ ...match, id: newId('mtc', now) })) : matches,
    payee,
    fresh: matches.filter(match => match.decision === null && latest?.matches.get(pairKey(match))?.decision !== null),
  };
}

/**
 * An earlier decision on a match, if it still applies. A true match stays one. A false positive does until either side's names change, or
 * until a mere likeness of names turns out to be the same identifier.
 */
export function decisionOn(
  match: Pick<FoundMatch, 'match_type' | 'entry_names'>,
  pair: Omit<Pair, 'payee_id'> | undefined,
  names: string,
) {
  if (!pair) return null;
  if (pair.decision === 'true_match') return pair.decision;
  const holds = pair.payee_names === names && pair.entry_names === match.entry_names && (pair.exact || !isExact(match));
  return holds ? pair.decision : null;
}

type Decided = Pick<KeptMatch, 'decision' | 'score' | 'name' | 'matched_name'>;

/** The state that matches and their decisions add up to: for the screening, which is reviewed once, and for the payee. */
export function standing(matches: readonly Decided[]): Pick<ScreeningOutcome, 'state' | 'score' | 'payee'> {
  const undecided = matches.filter(({ decision }) => decision === null);
  const confirmed = matches.filter(({ decision }) => decision === 'true_match');
  const dismissed = matches.length > 0 ? 'false_positive' : 'clear';
  const settled = confirmed.length > 0 ? 'confirmed_match' : dismissed;
  const best = bestOf(confirmed.length > 0 ? confirmed : undecided);
  return {
    state: undecided.length > 0 ? 'potential_match' : settled,
    score: (bestOf(undecided) ?? bestOf(confirmed) ?? bestOf(matches))?.score ?? 0,
    payee: {
      state: confirmed.length === 0 && undecided.length > 0 ? 'potential_match' : settled,
      score: best?.score ?? null,
      match: best ? best.name || best.matched_name : null,
    },
  };
}

const bestOf = (matches: readonly Decided[]) =>
  matches.reduce<Decided | undefined>((best, match) => (best && best.score >= match.score ? best : match), undefined);

/** Whether the latest screening has the same result. Once it was decided on, a changed score is nothing new. */
function isSame(latest: Latest, now: { state: string; subject: Subject; matches: readonly KeptMatch[] }): boolean {
  if (latest.state !== now.state || latest.matches.size !== now.matches.length) return false;
  if (canonicalJson(latest.query) !== canonicalJson(now.subject)) return false;
  return now.matches.every(match => {
    const before = latest.matches.get(pairKey(match));
    if (!before || before.decision !== match.decision) return false;
    if (match.decision !== null) return true;
    return (
      before.score === match.score && before.match_type === match.match_type && before.entry_names === match.entry_names
    );
  });
}
