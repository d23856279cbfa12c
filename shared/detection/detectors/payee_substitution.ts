import { z } from 'zod';
import { identitiesOf, isNewPayee, type Namesake } from '#shared/detection/model/payees.ts';
import type { History } from '#shared/detection/model/history.ts';
import { type DetectionEvent, isPaid, spendOf } from '#shared/events/log/payment.ts';
import { likenessOfPayees } from '#shared/detection/model/almost_named.ts';
import { areAlike } from '#shared/detection/model/alike_names.ts';
import {
  accountKind,
  accountsOfOtherKinds,
  accountTexts,
  areOfOneScheme,
  areOneAccount,
  otherAccounts,
} from '#shared/detection/model/accounts.ts';
import { type Context, detector, type Finding } from '#shared/detection/model/detector.ts';
import { isRedirected, type Redirection, redirectionOf } from '#shared/detection/model/redirection.ts';
import {
  areChainsUsual,
  areNamesakesUsual,
  areNamesShared,
  learnNamesakes,
  learnSharedName,
} from '#shared/detection/model/spreads.ts';
import { countAtHandText, dateText, momentText } from '#shared/detection/model/wording.ts';
import { DAY } from '#shared/values/time.ts';

/** A name or web address that was paid before appears with another account: its payments may be diverted. */
export const payeeSubstitution = detector({
  name: 'payee_substitution',
  about:
    'A known payee, or one whose name may be read for it, is paid to a different account, or a payment is settled to another than it was authorized for.',
  params: z.strictObject({
    most_namesakes: z.int().min(1).max(10).default(2).meta({
      title: 'Maximum accounts per name',
      description: 'A name or web address with more accounts than this counts as shared, such as a marketplace’s',
    }),
  }),
  judge(event, context, { most_namesakes }) {
    const { payee, history, spreads, payment, reports } = context;
    const redirected = isRedirected(payment) ? redirectionOf(reports, event.chain_seq) : null;
    if (redirected) return judgeRedirection(redirected);
    if (!mayPay(event)) return null;
    const known = payee.namesakes.size > 0 ? knownUnder(event, context, most_namesakes) : [];
    if (known.length === 0) return judgeAlmostNamed(event, context);
    const of_people = ({ others }: Known) => others.every(({ type }) => type === 'individual');
    const [shared, shared_by_people] = [areNamesShared(spreads), areNamesakesUsual(spreads)];
    const isShop = event.rail === 'card' && payee.key.startsWith('merchant:');
    const isAmongChains = isShop && areChainsUsual(spreads);
    const isOfChain = ({ what, others }: Known) =>
      isAmongChains && what === NAME && !others.some(other => timesPaid(other, history) >= REGULAR);
    const areShared = (each: Known) => shared || (shared_by_people && of_people(each));
    if (known.some(({ accounts }) => accounts === most_namesakes))
      learnSharedName(spreads, isShop && spendOf(payment) >= LEAST_MICRO);
    if (known.some(each => of_people(each) && each.others.every(other => timesPaid(other, history) === 1)))
      learnNamesakes(spreads);
    const isSettled = (other: Namesake) =>
      event.occurred_at - other.first_paid_at >= SETTLED &&
      (other.type !== 'individual' || timesPaid(other, history) > 1);
    const identities = known.filter(
      each => each.accounts <= most_namesakes && !isOfChain(each) && (!areShared(each) || each.others.some(isSettled)),
    );
    if (identities.length === 0) return judgeAlmostNamed(event, context);
    const others = oneEach(identities.flatMap(each => each.others));
    const is_own = others.some(({ payee_id }) => history.paid_payees.has(payee_id));
    const of_agent = identities.some(({ what, accounts, others: own }) => what === NAME && accounts > own.length);
    // What is sent late may be older than what is known.
    const is_first = others.every(({ first_paid_at }) => first_paid_at <= event.occurred_at);
    const textOf = accountTexts([payee.key, ...others.map(({ key }) => key)]);
    const accounts = others.map(
      other => `${textOf(other.key)} (${aliasOf(other, payee.name)}first paid on ${dateText(other.first_paid_at)})`,
    );
    return {
      score: 80,
      // A merchant has an account for each shop, region or bank, and few of them are anybody else's.
      ...(payee.key.startsWith('merchant:') && { severity: 'medium' as const }),
      title: `New ${accountKind(payee.key)} for {payee}`,
      explanation:
        `This payment to {payee} is for ${textOf(payee.key)}. ${is_first ? 'Until now, payments' : 'Other payments'}${of_agent ? ' of this agent' : ''} under the same ` +
        `${identities.map(({ what }) => what).join(' and the same ')} went to ${accounts.join(' and ')}` +
        `${is_own ? '' : ', all from other agents'}. ` +
        `An alert is raised when a known name or web address comes with a new account. One that already has more than ` +
        `${most_namesakes} accounts counts as shared, and raises none. ` +
        'A changed account is a common way to divert payments: confirm it with the payee over a channel you ' +
        'already trust, not the one the change came through.',
      subject: event.payee_id,
      seqs: [event.chain_seq],
      gathers: true,
    };
  },
});

/**
 * A payee that was never paid, and whose name may be read for that of another that the agent has paid: who asks for money in such a name hopes that
 * nobody reads twice. Where names differ in writing alone, merchants are told only with another country: each shop may write its own.
 */
function judgeAlmostNamed(event: DetectionEvent, { payee, history, names }: Context): Finding | null {
  const own = names.get(event.payee_id);
  if (!own || !isNewPayee(payee, event)) return null;
  const isMeant = (payee_id: string): boolean => {
    const other = names.get(payee_id);
    if (!other || payee_id === event.payee_id || areOneAccount(own.key, other.key)) return false;
    const likeness = likenessOfPayees(own, other);
    const isMerchant = own.key.startsWith('merchant:');
    const isElsewhere = own.country !== null && other.country !== null && own.country !== other.country;
    return (
      likeness === 'slip' ||
      (likeness === 'writing' && areOfOneScheme(own.key, other.key) && (!isMerchant || isElsewhere))
    );
  };
  const earlier = history.paid.filter(other => isPaid(other) && (other.paid_at ?? Infinity) <= event.occurred_at);
  const meant = [...new Set(earlier.map(({ payee_id }) => payee_id).toReversed())].find(isMeant);
  const paid = earlier.filter(({ payee_id }) => payee_id === meant);
  const last = paid.at(-1);
  const other = names.get(meant ?? '');
  if (!other || !last) return null;
  const accountOf = accountTexts([own.key, other.key]);
  const called = other.name === null ? '' : `“${other.name}”, `;
  return {
    score: 80,
    ...(own.key.startsWith('merchant:') && { severity: 'medium' as const }),
    title: '{payee} is named almost like another payee',
    explanation:
      `{payee}, ${accountOf(own.key)}, was never paid before. Its name may be read for that of ${called}${accountOf(other.key)}, which ` +
      `the agent paid ${paid.length === 1 ? 'once,' : `${countAtHandText(paid.length)} times, last`} on ${dateText(last.paid_at ?? last.started_at)}. ` +
      'An alert is raised when names differ by one letter that was put in, left out, swapped with the next or looks like another, or only in spaces, signs and legal forms. ' +
      'Invoices and web pages are made in such names to be taken for those of a supplier: confirm with the supplier, over a channel that you ' +
      'already trust, that this account is its own.',
    subject: event.payee_id,
    seqs: [event.chain_seq],
    gathers: true,
  };
}

/** One payment, and two accounts: the one that it was authorized for, and the one that got it. */
function judgeRedirection({ settled, authorized }: Redirection): Finding {
  const textOf = accountTexts([settled.payee_key, authorized.payee_key]);
  return {
    score: 80,
    title: `A payment was settled to another ${accountKind(settled.payee_key)} than authorized`,
    explanation:
      `This payment was authorized for ${textOf(authorized.payee_key)} at ${momentText(authorized.occurred_at)} and settled for ` +
      `${textOf(settled.payee_key)} at ${momentText(settled.occurred_at)}. ` +
      'An alert is raised when one payment is authorized for one account and settled for another. ' +
      'Someone between the agent and its bank may divert payments: find out who changed the account, and whether the one that was meant was paid.',
    subject: settled.payee_id,
    seqs: [settled.chain_seq, authorized.chain_seq],
    gathers: true,
  };
}

/** Cents teach nothing of shops, and whom the agent has paid so often, by the payments at hand, is its supplier. */
const [LEAST_MICRO, REGULAR] = [1_000_000n, 5];

/** Where payees often have several accounts under one name, a name is told of whose account has been known for so long. */
const SETTLED = 7 * DAY;

/** Who gives money back to many people meets their namesakes; who pays wages pays the same person again. Of the payments at hand. */
const timesPaid = ({ payee_id }: Namesake, { payments }: History): number =>
  payments.filter(other => other.payee_id === payee_id && isPaid(other)).length;

/** A name or web address, the other accounts under it that matter to the agent, and how many there are; of a merchant, and at a web address, all that are known. */
type Known = { what: string; accounts: number; others: Namesake[] };

const NAME = 'name';

/** Events that undo a payment pay no one. */
export const mayPay = ({ type }: DetectionEvent): boolean =>
  type !== 'payment.failed' && type !== 'payment.canceled' && type !== 'payment.refunded';

/** The names and web addresses of an event that are new for its payee, with the other accounts that were paid under them before. */
function knownUnder(event: DetectionEvent, { payee, history }: Context, most_namesakes: number): Known[] {
  return identitiesOf(event, payee.key).flatMap(identity => {
    const isName = identity.startsWith('name:');
    if (!isName && !identity.startsWith('domain:')) return [];
    // People share names, and a merchant has an account for each shop or region: another of that name matters only to an agent that
    // already pays one.
    const namesakes = payee.namesakes.get(identity) ?? [];
    const all = otherAccounts(payee.key, namesakes);
    // Names are compared only where it matters.
    const isOfOne = event.rail === 'x402' || all.length > most_namesakes;
    const matters = namesakes.filter(other =>
      isName
        ? (other.type !== 'individual' && !other.key.startsWith('merchant:')) || history.paid_payees.has(other.payee_id)
        : isOfOne || !areOfTwo(payee, other),
    );
    const alike = otherAccounts(payee.key, matters);
    // A service comes to take other means of payment, and says at its web address where they go: what else is paid in its name matters to its customers.
    const own =
      isName && event.rail !== 'x402' ? namesakes.filter(other => history.paid_payees.has(other.payee_id)) : [];
    const others = [...alike, ...accountsOfOtherKinds(payee.key, own)];
    // Of people, and of businesses, others of the name are strangers.
    const accounts = isName && !payee.key.startsWith('merchant:') ? alike.length : all.length;
    return others.length > 0 ? [{ what: isName ? NAME : 'web address', accounts, others }] : [];
  });
}

/**
 * Whether two payees are of two names. What x402 pays for lies at the payee's own address; another payment may have that of whoever keeps its
 * invoices or sells for many.
 */
const areOfTwo = ({ name }: { name: string | null }, other: Namesake): boolean =>
  name !== null && other.name !== null && !areAlike(name, other.name);

const oneEach = (others: Namesake[]) => [...new Map(others.map(other => [other.key, other])).values()];

const aliasOf = ({ name }: Namesake, own: string | null) => (name === null || name === own ? '' : `“${name}”, `);
