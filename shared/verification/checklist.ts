import type { ChainLookup, Check, Fact, OpenMandate, Outcome } from './verifier.ts';

/**
 * Collects the checks of one verification, in order. The outcome: `failed` when a check failed, else `inconclusive` when one that is
 * needed could not be done, else `verified`.
 */
export type Checklist = {
  /** Notes a check; answers whether it passed. */
  check(name: string, passes: boolean, code: string, detail?: string): boolean;
  pass(name: string, detail?: string): true;
  fail(name: string, code: string, detail?: string): false;
  /** Could not be done, and without it nothing is verified. */
  open(name: string, code: string, detail?: string): false;
  /** Does not apply here. */
  skip(name: string, detail?: string): void;
  /** What may be used once. */
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

/** Evidence may quote anything, of any length; what is not seen, or turns text around, is shown as a mark. */
function shortened(text: string): string {
  const cut = text.length > LONGEST_DETAIL ? `${text.slice(0, LONGEST_DETAIL - 1)}…` : text;
  return cut.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
