import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { chainAccountOf } from '#shared/values/payee_key.ts';
import { DAY } from '#shared/values/time.ts';

/** What is known of a payee, for the organization as a whole. Times are milliseconds since 1970. */
export type PayeeState = PayeeRecord & {
  /** When anybody first paid it; null: nobody has. */
  first_paid_at: number | null;
  /** The latest first payments of agents to it, oldest first; null: it is not young, and nobody has asked. */
  starts: Start[] | null;
  /** What it goes by: what it was paid under before. */
  identities: Set<string>;
  /** Others that were paid before under an identity that is new for this payee, by the identity. */
  namesakes: Map<string, Namesake[]>;
  /** What screening holds against it; null: nothing. Read anew for each range. */
  screening: ScreenedPayee | null;
};

/** The payee as it is registered: its canonical key (see `payee_key.ts`), its name, and what kind of payee it is. */
export type PayeeRecord = { key: string; name: string | null; type: string | null };

/** The payees of a range, and which of them wait for an identity to be known: another may be paid under it meanwhile. */
export type Payees = { states: Map<string, PayeeState>; waiting: Map<string, Set<PayeeState>> };

/** An agent's first payment to a payee. */
export type Start = { agent_id: string; at: number; seq: number };

/** Another payee that goes by the same identity, and when it was first paid under it. */
export type Namesake = PayeeRecord & { payee_id: string; first_paid_at: number };

/** `score` 0 to 1 as a decimal string, and whom the payee matches. */
export type ScreenedPayee = {
  state: 'potential_match' | 'confirmed_match';
  score: string | null;
  match: string | null;
};

/** A payee is young for so long; who begins to pay an older one is no news. */
export const YOUNG = 8 * DAY;
/** First payments that are kept of a payee. */
export const MOST_STARTS = 100;
/** Payees of one identity that are looked at: those registered first. */
export const MOST_NAMESAKES = 20;

/** A payee that nobody has paid. */
export const unpaidPayee = ({ key, name, type }: PayeeRecord): PayeeState => ({
  key,
  name,
  type,
  first_paid_at: null,
  starts: [],
  identities: new Set(),
  namesakes: new Map(),
  screening: null,
});

/** What an event says its payee goes by. Wallets are told by the first and last four characters of their address. */
export function identitiesOf(
  { payee_name_key, domain_key }: Pick<DetectionEvent, 'payee_name_key' | 'domain_key'>,
  key: string,
): string[] {
  const identities: string[] = [];
  if (payee_name_key !== null) identities.push(`name:${payee_name_key}`);
  if (domain_key !== null) identities.push(`domain:${domain_key}`);
  const wallet = walletOf(key);
  if (wallet) identities.push(wallet);
  return identities;
}

function walletOf(key: string): string | null {
  const { network = '', address = '' } = chainAccountOf(key) ?? {};
  if (network.startsWith('eip155:')) return `wallet:eip155:${(address.slice(2, 6) + address.slice(-4)).toLowerCase()}`;
  return network.startsWith('solana:') ? `wallet:solana:${address.slice(0, 4)}${address.slice(-4)}` : null;
}

/** Size of a payee for a cache. */
export const sizeOfPayee = ({ starts, identities, namesakes }: PayeeState): number =>
  3 + (starts?.length ?? 0) + identities.size + namesakes.size * MOST_NAMESAKES;

/** Notes that an agent first paid the payee now, or earlier than was known. Changes `state`. */
export function addStart(state: PayeeState, { agent_id, at, seq }: Start): void {
  state.first_paid_at = Math.min(at, state.first_paid_at ?? Infinity);
  const { starts } = state;
  if (!starts) return;
  const former = starts.findIndex(start => start.agent_id === agent_id);
  const [previous] = former >= 0 ? starts.splice(former, 1) : [];
  let place = starts.length;
  while (place > 0 && (starts[place - 1]?.at ?? 0) > at) place -= 1;
  // Where it stands in the log is told by the first to arrive, as in `agent_payees`.
  starts.splice(place, 0, { agent_id, at, seq: previous?.seq ?? seq });
  if (starts.length > MOST_STARTS) starts.shift();
}

/** What was seen for the first time in a range: whom an agent paid, in which country, and under what payees were paid. */
export type Firsts = { new_pairs: NewPair[]; new_countries: NewCountry[]; new_identities: NewIdentity[] };

/** An agent's first payment to a payee; `known`: it had paid it before, but later. */
export type NewPair = { agent_id: string; payee_id: string; first_seen_at: number; first_seq: number; known: boolean };
export type NewCountry = { agent_id: string; country: string; first_seen_at: number; first_seq: number };
export type NewIdentity = { identity: string; payee_id: string; first_seen_at: number; first_seq: number };

/** Notes under what the payee of an event was paid, and tells the payees of the range that wait for it. Returns what is new. */
export function addIdentities(
  { payee_id, occurred_at, chain_seq, payee_name_key, domain_key }: DetectionEvent,
  state: PayeeState,
  waiting: Payees['waiting'],
): NewIdentity[] {
  const { key, name, type } = state;
  return identitiesOf({ payee_name_key, domain_key }, key).flatMap(identity => {
    if (state.identities.has(identity)) return [];
    state.identities.add(identity);
    state.namesakes.delete(identity);
    const namesake = { payee_id, key, name, type, first_paid_at: occurred_at };
    for (const other of waiting.get(identity) ?? []) addNamesake(other.namesakes.get(identity), namesake);
    return [{ identity, payee_id, first_seen_at: occurred_at, first_seq: chain_seq }];
  });
}

/** Keeps those registered first, as they are loaded. Changes `namesakes`. */
function addNamesake(namesakes: Namesake[] | undefined, namesake: Namesake): void {
  if (!namesakes) return;
  const place = namesakes.findIndex(({ payee_id }) => payee_id > namesake.payee_id);
  namesakes.splice(place < 0 ? namesakes.length : place, 0, namesake);
  if (namesakes.length > MOST_NAMESAKES) namesakes.pop();
}
