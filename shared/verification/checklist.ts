import type { ChainLookup, Check, Fact, OpenMandate, Outcome } from './verifier.ts';

/**
 * Collects the checks of one verification, in order. The outcome is `failed` if a check failed, otherwise `inconclusive` if a necessary one
 * could not be done, otherwise `verified`.
 */
export type Checklist = {
  /** Records a check; returns whether it passed. */
  check(name: string, passes: boolean, code: string, detail?: string): boolean;
  pass(name: string, detail?: string): true;
  fail(name: string, code: string, detail?: string): false;
  /** A necessary check that could not be done. */
  open(name: string, code: string, detail?: string): false;
  /** A check that does not apply. */
  skip(name: string, detail?: string): void;
  /** A fact that may be used once. */
  once(fact: Fact): void;
  lookUp(lookup: ChainLookup): void;
  outcome(open_mandate?: OpenMandate): Outcome;
};

export function createChecklist(): Checklist {
  const checks: Check[] = [];
  const facts: Fact[] = [];
  const lookups: ChainLookup[] = [];
  let failed = false;
  let open = false;
  const add = (name: string, result: Check['result'], code?: string, detail?: string) =>
    void checks.push({ name, result, ...(code && { code }), ...(detail && { detail: shortened(detail) }) });
  const list: Checklist = {
    check: (name, passes, code, detail) => (passes ? list.pass(name) : list.fail(name, code, detail)),
    pass(name, detail) {
      add(name, 'pass', undefined, detail);
      return true;
    },
    fail(name, code, detail) {
      failed = true;
      add(name, 'fail', code, detail);
      return false;
    },
    open(name, code, detail) {
      open = true;
      add(name, 'skip', code, detail);
      return false;
    },
    skip: (name, detail) => add(name, 'skip', undefined, detail),
    once: fact => void facts.push(fact),
    lookUp: lookup => void lookups.push(lookup),
    outcome: open_mandate => ({
      result: failed ? 'failed' : open ? 'inconclusive' : 'verified',
      checks,
      facts,
      lookups,
      ...(open_mandate && { open_mandate }),
    }),
  };
  return list;
}

const LONGEST_DETAIL = 500;

/** Evidence may contain any text of any length; invisible characters, and those that reorder text, are shown as a mark. */
function shortened(text: string): string {
  const cut = text.length > LONGEST_DETAIL ? `${text.slice(0, LONGEST_DETAIL - 1)}…` : text;
  return cut.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
