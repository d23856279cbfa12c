import { hash } from 'node:crypto';
import { z } from 'zod';
import { packedRows, type Statement, tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { RepeatedUse } from './verdict.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Fact, Result } from '#shared/verification/verifier.ts';

/** The payment that used a fact first. Payments are told apart by agent and payment id. */
type FactHolder = { agent_id: string; payment_id: string; chain_seq: number };

/**
 * The single-use facts of a range's events: which payment holds each, and which claims a free one. The caller holds the log's cursor,
 * so no other process claims at the same time.
 */
type FactBook = {
  /** Claims the facts of a verification for the event's payment, unless it fails; returns those another payment holds. */
  use(event: FactHolder, facts: readonly Fact[], result: Result): RepeatedUse[];
  /** The statements that store the claims. */
  statement(tenant: Tenant): Statement | null;
};

export async function openFactBook(tx: Db, tenant: Tenant, facts: readonly Fact[]): Promise<FactBook> {
  const holders = await loadHolders(tx, tenant, facts);
  const claims: (string | number)[][] = [];
  return {
    use(event, used, result) {
      const replays: RepeatedUse[] = [];
      for (const { scope, value, code, is_claimed = false } of used) {
        const holder = holders.get(keyOf(scope, value));
        if (!holder || isSamePayment(holder, event)) continue;
        replays.push({ code, scope, payment_id: holder.payment_id, chain_seq: holder.chain_seq, is_claimed });
      }
      // A forged or repeated proof must not use up a genuine fact.
      if (result === 'failed' || replays.length > 0) return replays;
      for (const { scope, value } of used) {
        const key = keyOf(scope, value);
        if (holders.has(key)) continue;
        holders.set(key, event);
        claims.push([scope, digestOf(value), event.agent_id, event.payment_id, event.chain_seq]);
      }
      return replays;
    },
    statement({ org_id, environment }) {
      if (claims.length === 0) return null;
      return sql.unsafe`
        insert into single_use_facts (org_id, environment, scope, digest, agent_id, payment_id, chain_seq)
        select ${org_id}, ${environment}, r.scope, decode(r.digest, 'hex'), r.agent_id, r.payment_id, r.chain_seq
        from ${packedRows(claims, ['text', 'text', 'text', 'text', 'int8'])} as r (scope, digest, agent_id, payment_id, chain_seq)
        on conflict do nothing`;
    },
  };
}

async function loadHolders(tx: Db, { org_id, environment }: Tenant, facts: readonly Fact[]) {
  const holders = new Map<string, FactHolder>();
  if (facts.length === 0) return holders;
  const distinct_facts = [...new Map(facts.map(fact => [keyOf(fact.scope, fact.value), fact])).values()];
  const digests = distinct_facts.map(({ scope, value }) => ({ scope, digest: digestOf(value) }));
  const rows = await tx.any(sql.type(Holder)`
    select f.scope, encode(f.digest, 'hex') as digest, f.agent_id, f.payment_id, f.chain_seq
    from ${tableOf('a', digests, { scope: 'text', digest: 'text' })}
    join single_use_facts f on f.org_id = ${org_id} and f.environment = ${environment} and f.scope = a.scope
      and f.digest = decode(a.digest, 'hex')`);
  for (const { scope, digest, ...holder } of rows) holders.set(`${scope} ${digest}`, holder);
  return holders;
}

const Holder = z.object({
  scope: z.string(),
  digest: z.string(),
  agent_id: z.string(),
  payment_id: z.string(),
  chain_seq: z.number(),
});

const digestOf = (value: string) => hash('sha256', value);
const keyOf = (scope: string, value: string) => `${scope} ${digestOf(value)}`;
const isSamePayment = (a: FactHolder, b: FactHolder) => a.payment_id === b.payment_id && a.agent_id === b.agent_id;
