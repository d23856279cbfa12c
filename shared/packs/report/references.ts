import type { PackEvent } from '#shared/packs/pack_files.ts';
import { outside } from './outside.ts';
import { addRef, noRefs, type Refs } from './refs.ts';
import type { TextSpan } from './report.ts';
import { code } from './words.ts';

/** What the events of a pack say about the ids in its other files. */
export type PackReferences = {
  event(event: PackEvent): void;
  /** The `chain_seq` of those of these events that are in the pack, ascending. */
  seqsOf(event_ids: readonly string[]): number[];
  agent(id: string): TextSpan[];
  payee(id: string): TextSpan[];
  /** The events that name this payee; undefined when none does. */
  eventsOfPayee(id: string): Refs | undefined;
};

type Payee = { key: string; name: string | undefined; events: Refs };

/** Of several names, the last one counts. */
export function createPackReferences(): PackReferences {
  const seqs = new Map<string, number>();
  const agents = new Map<string, string | null>();
  const payees = new Map<string, Payee>();
  return {
    event({ id, chain_seq, agent, payee_id, payment: { payee } }) {
      seqs.set(id, chain_seq);
      agents.set(agent.id, agent.name ?? agent.external_id ?? agents.get(agent.id) ?? null);
      const key = payee_id ?? payee.key;
      const payee_entry = payees.get(key) ?? { key: payee.key, name: undefined, events: noRefs() };
      if (payee.name !== undefined) payee_entry.name = payee.name;
      addRef(payee_entry.events, chain_seq);
      payees.set(key, payee_entry);
    },
    seqsOf: ids => ids.flatMap(id => seqs.get(id) ?? []).toSorted((a, b) => a - b),
    agent(id) {
      const name = agents.get(id) ?? null;
      return name === null ? [code(id)] : [outside(name), ' ', code(id)];
    },
    payee(id) {
      const payee = payees.get(id);
      return payee ? payeeText(payee.name, payee.key) : [code(id)];
    },
    eventsOfPayee: id => payees.get(id)?.events,
  };
}

/** A payee: its name and its key. Both are outside text. */
export const payeeText = (name: string | undefined, key: string): TextSpan[] =>
  name === undefined ? [outside(key)] : [outside(name), ' ', { ...outside(key), minor: true }];
