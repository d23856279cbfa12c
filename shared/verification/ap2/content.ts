import type { Hop } from './chain.ts';
import { INVALID_CREDENTIAL, UNRESOLVED_CONSTRAINT } from './codes.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { type JsonObject, quoted, textOf } from '#shared/verification/json.ts';

type Family = 'payment' | 'checkout';

export type Delegated = { mandate: JsonObject; hop: Hop };

/** An open mandate; `whole` when nothing was withheld that could limit what it allows. */
type Opened = Delegated & { whole: boolean };

/** The contents of a chain: the open mandates from the person's to the last agent's, and the closed one, if any. */
export type Content = { opens: Opened[]; closed: Delegated | null };

/**
 * Reads the mandates of a chain by their exact `vct`: `mandate.<family>.open.1` in every hop but the last, `mandate.<family>.1` in the
 * last; an open mandate may also be alone. Null for anything else, which is recorded.
 */
export function readContent(list: Checklist, hops: readonly Hop[], family: Family): Content | null {
  const open = `mandate.${family}.open.1`;
  const closed = `mandate.${family}.1`;
  const content: Content = { opens: [], closed: null };
  const last = hops.length - 1;
  for (const [index, hop] of hops.entries()) {
    const closed_mandate = index === last ? only(hop.mandates.filter(({ vct }) => vct === closed)) : null;
    if (closed_mandate) {
      content.closed = { mandate: closed_mandate, hop };
      continue;
    }
    const mandate = only(hop.mandates);
    if (mandate?.['vct'] === open && (index < last || last === 0))
      content.opens.push({ mandate, hop, whole: isWhole(mandate, hop) });
    else if (!isCredential(list, mandate, index, last))
      return wrongType(list, hop, index, index < last ? open : closed);
  }
  list.pass('mandate_type');
  if (content.opens.some(({ whole }) => !whole))
    list.open('disclosure', UNRESOLVED_CONSTRAINT, 'A part of the open mandate was not disclosed');
  return content;
}

const only = (mandates: readonly JsonObject[]): JsonObject | null =>
  mandates.length === 1 ? (mandates[0] ?? null) : null;

/** A chain may begin with a person's own credential (AP2, Delegation using OpenID4VP); which ones are valid is not known here. */
function isCredential(list: Checklist, mandate: JsonObject | null, index: number, last: number): boolean {
  const vct = mandate && textOf(mandate, 'vct');
  if (index > 0 || last === 0 || !vct || vct.startsWith('mandate')) return false;
  list.open('credential_type', 'credential_type_unknown', `hop 0: ${quoted(vct)} may or may not delegate payments`);
  return true;
}

function wrongType(list: Checklist, { mandates }: Hop, index: number, expected: string): null {
  const types = mandates.map(({ vct }) => quoted(vct)).join(', ') || 'nothing';
  list.fail('mandate_type', INVALID_CREDENTIAL, `hop ${index}: vct must be ${expected}, exactly once, not ${types}`);
  return null;
}

/** Withholding entries of a constraint's list only narrows it; a withheld constraint or fixed field would be missed. */
function isWhole(mandate: JsonObject, { claims, withheld }: Hop): boolean {
  const { constraints } = mandate;
  const parts: unknown[] = [claims, mandate, constraints, ...(Array.isArray(constraints) ? constraints : [])];
  return !parts.some(part => withheld.has(part as object));
}
