import { z } from 'zod';
import { namelessText } from '#shared/detection/model/accounts.ts';
import type { EventFinding, Finding } from '#shared/detection/model/detector.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moneyText } from '#shared/mandates/money_text.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** A finding, and the event that it is about. */
type Found = Pick<EventFinding, 'finding'> & { event: Pick<EventFinding['event'], 'id' | 'payee_id'> };

/**
 * Names what findings are about: answers with how each reads with its payee's name (or else its key, shortened for bank accounts) and, where
 * its payment was in another currency than dollars, with that amount beside its price. Two statements for any number of findings.
 */
export async function nameFindings(db: Db, tenant: Tenant, found: readonly Found[]): Promise<(of: Found) => Finding> {
  const names = await payeeNames(db, tenant, found);
  const amounts = await foreignAmounts(db, tenant, found);
  return ({ event, finding }) => {
    const name = names.get(event.payee_id) ?? 'the payee';
    const amount = amounts.get(event.id);
    const named = (text: string) =>
      priced(
        text.replaceAll('{payee}', () => name),
        finding.price,
        amount,
      );
    return { ...finding, title: capitalized(named(finding.title)), explanation: named(finding.explanation) };
  };
}

/** Says of the payment's price what was paid: `€830.40 ($943.39)`, where it is named first. */
const priced = (text: string, price: string | undefined, amount: string | undefined): string =>
  price && amount ? text.replace(price, () => `${amount} (${price})`) : text;

/** Capitalizes a title that begins with a nameless wallet. */
const capitalized = (title: string): string => title.replace(/^wallet /, 'Wallet ');

const PayeeName = z.object({ id: z.string(), name: z.string().nullable(), key: z.string() });

async function payeeNames(db: Db, { org_id, environment }: Tenant, found: readonly Found[]) {
  const ids = [...new Set(found.map(({ event }) => event.payee_id))];
  if (ids.length === 0) return new Map<string, string>();
  const rows = await db.any(sql.type(PayeeName)`
    select id, name, key from payees
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})`);
  return new Map(rows.map(({ id, name, key }) => [id, name ?? namelessText(key)]));
}

const ForeignAmount = z.object({ id: z.string(), value: z.string(), currency: z.string() });

/** What was paid in other currencies than dollars, by event; of findings that name the price. */
async function foreignAmounts(db: Db, { org_id, environment }: Tenant, found: readonly Found[]) {
  const ids = found.flatMap(({ event, finding }) => (finding.price ? [event.id] : []));
  if (ids.length === 0) return new Map<string, string>();
  const rows = await db.any(sql.type(ForeignAmount)`
    select id, input::jsonb #>> '{payment,amount,value}' as value, input::jsonb #>> '{payment,amount,currency}' as currency from events
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...new Set(ids)], 'text')})
      and input::jsonb #>> '{payment,amount,currency}' <> 'USD'`);
  return new Map(rows.map(({ id, value, currency }) => [id, moneyText(value, { currency })]));
}
