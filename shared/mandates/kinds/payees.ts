import type { z } from 'zod';
import { PayeeMatch } from '#shared/mandates/constraint_fields.ts';
import { breach, compliant, listed, type Rule, unresolved } from '#shared/mandates/rule.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { parseDomainName } from '#shared/values/domain_name.ts';
import { fold } from '#shared/values/fold.ts';
import { chainAccountOf, isBareEvmAddress } from '#shared/values/payee_key.ts';
import { allowedWords, blockedWords, listSchema } from './list.ts';
import type { Field } from './words.ts';

type Payees = { payees: readonly z.output<typeof PayeeMatch>[] };

/**
 * Only listed payees may be paid. A payee that cannot be compared with any entry, or not with all those left, may be one of them: the
 * result is unresolved rather than a breach.
 */
export const allowedPayees = {
  schema: () => listSchema('payment.allowed_payees', 'payees', PayeeMatch, examples),
  rule: ({ payees }: Payees): Rule => payeeRule(payees, 'yes', 'payee_not_allowed'),
};

/** Listed payees must not be paid. */
export const blockedPayees = {
  schema: () => listSchema('payment.blocked_payees', 'payees', PayeeMatch, examples),
  rule: ({ payees }: Payees): Rule => payeeRule(payees, 'no', 'payee_blocked'),
};

const examples = [{ key: 'iban:DE89370400440532013000' }, { domain: 'example.com' }];

const field: Field = {
  name: 'payees',
  label: 'Payees',
  as: 'payees',
  hint: 'One per line: a payee key (iban:DE89…), a domain including subdomains (example.com), or a name.',
};

export const allowedPayeesWords = allowedWords({
  type: 'payment.allowed_payees',
  name: 'Allowed payees',
  limit: 'only these payees',
  thing: 'payee',
  field,
  textOf: payeeText,
});

export const blockedPayeesWords = blockedWords({
  type: 'payment.blocked_payees',
  name: 'Blocked payees',
  limit: 'not these payees',
  thing: 'payee',
  field,
  textOf: payeeText,
});

/** `right` is how a payment has to match. */
function payeeRule(payees: Payees['payees'], right: Match, code: string): Rule {
  const matches = matcherOf(payees);
  const limit = listed(payees.map(payeeText));
  return {
    judge({ event }) {
      const numbers = { observed: event.payee.key, limit };
      const match = matches(event);
      if (match === 'unknown') return unresolved('payee_unknown', numbers);
      return match === right ? compliant(numbers) : breach(code, numbers);
    },
  };
}

type Match = 'yes' | 'no' | 'unknown';

/**
 * A payee in the form used to compare it. `domain` is null when unknown, `name` when it has none, `merchant_id` unless its key is that of a
 * merchant.
 */
type Payee = { key: string; domain: string | null; name: string | null; merchant_id: string | null };

function matcherOf(payees: Payees['payees']): (event: ReportedEvent) => Match {
  const entries = payees.map(entryOf);
  return event => {
    const { key, name } = event.payee;
    const payee = {
      key: comparable(key),
      domain: domainOf(event),
      name: name === null ? null : folded(name),
      merchant_id: key.startsWith('merchant:') ? key.slice(key.lastIndexOf(':') + 1) : null,
    };
    let best: Match = 'no';
    for (const entry of entries) {
      const match = entry(payee);
      if (match === 'yes') return match;
      if (match === 'unknown') best = match;
    }
    return best;
  };
}

function entryOf({ key, domain, name, website, merchant_id }: Payees['payees'][number]): (payee: Payee) => Match {
  if (key !== undefined) {
    const wanted = comparable(key);
    // It names no chain, and is the same account on all of them.
    if (isBareEvmAddress(key))
      return payee => (payee.key === wanted || chainAccountOf(payee.key)?.address === wanted ? 'yes' : 'no');
    return payee => (payee.key === wanted ? 'yes' : 'no');
  }
  if (domain !== undefined) {
    const below = `.${domain}`;
    return payee => {
      if (payee.domain === null) return 'unknown';
      return payee.domain === domain || payee.domain.endsWith(below) ? 'yes' : 'no';
    };
  }
  const host = website === undefined ? undefined : hostOf(website);
  if (merchant_id !== undefined) return merchantEntry(merchant_id, name === undefined ? null : folded(name), host);
  return namedEntry(folded(name ?? ''), host);
}

/** A merchant of AP2: compared by the most specific identifier that it shares with the payee, as in AP2's verification. */
function merchantEntry(id: string, name: string | null, host: string | null | undefined): (payee: Payee) => Match {
  return payee => {
    if (payee.merchant_id !== null) return payee.merchant_id === id ? 'yes' : 'no';
    if (host && payee.key.startsWith('domain:')) return payee.domain === host ? 'yes' : 'no';
    if (name === null || payee.name === null) return 'unknown';
    return payee.name === name ? 'yes' : 'no';
  };
}

/**
 * A name, alone or with a website (host null: one that cannot be compared, such as an IP address). As in AP2, a website says more than a
 * name: with the same website, the name may be missing; with only the same name, it may be somebody else.
 */
function namedEntry(name: string, host: string | null | undefined): (payee: Payee) => Match {
  return payee => {
    const sameName = payee.name === null ? null : payee.name === name;
    if (sameName === false) return 'no';
    if (host === undefined) return sameName ? 'yes' : 'unknown';
    if (host === null || payee.domain === null) return 'unknown';
    return payee.domain === host ? 'yes' : 'no';
  };
}

/**
 * The domain of a payee: that of its `domain:` key. A wallet has none; with x402 the host of the resource names it and asks for the money,
 * so it is used instead. Merchants, bank accounts, agents and texts are not identified by what was bought.
 */
function domainOf({ payee: { key }, resource_url }: ReportedEvent): string | null {
  if (key.startsWith('domain:')) return key.slice('domain:'.length);
  return resource_url === null || !isWallet(key) ? null : hostOf(resource_url);
}

const isWallet = (key: string) =>
  chainAccountOf(key) !== null || isBareEvmAddress(key) || key.startsWith('account:lightning:');

function hostOf(address: string): string | null {
  const url = URL.parse(address);
  if (!url || !/^(?:http|ws)s?:$/.test(url.protocol)) return null;
  const domain = parseDomainName(url.hostname);
  return domain.ok ? domain.value : null;
}

/** EVM addresses are compared regardless of case. */
const comparable = (key: string): string =>
  key.startsWith('eip155:') || isBareEvmAddress(key) ? key.toLowerCase() : key;

/** Names that fold to nothing must not all be equal. */
const folded = (name: string): string => fold(name) || name;

/** The text of an entry. In an imported mandate it may be anything. */
function payeeText(payee: Payees['payees'][number]): string {
  if (typeof payee !== 'object' || payee === null) return String(payee);
  const { key, domain, name, website, merchant_id } = payee;
  return key ?? domain ?? `${name ?? merchant_id ?? ''}${website === undefined ? '' : ` (${website})`}`;
}
