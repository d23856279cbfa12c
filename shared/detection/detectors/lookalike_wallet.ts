import { z } from 'zod';
import { identitiesOf } from '#shared/detection/model/payees.ts';
import { addressOf, otherAccounts } from '#shared/detection/model/accounts.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { mayPay } from './payee_substitution.ts';
import { dateText } from '#shared/detection/model/wording.ts';

/** A new wallet whose address begins and ends like that of a known payee: it is made to be taken for it. */
export const lookalikeWallet = detector({
  name: 'lookalike_wallet',
  about: 'A new wallet has the same first and last digits as a known payee’s wallet.',
  params: z.strictObject({}),
  judge(event, { payee }) {
    if (payee.namesakes.size === 0 || !mayPay(event)) return null;
    const alike = identitiesOf(event, payee.key).find(identity => identity.startsWith('wallet:'));
    const [other] = alike ? otherAccounts(payee.key, payee.namesakes.get(alike) ?? []) : [];
    if (!other) return null;
    return {
      score: 95,
      title: `A new wallet looks like ${other.name === null ? 'one that was paid before' : `that of ${other.name}`}`,
      explanation:
        `This payment is for ${addressOf(payee.key)}. The first four and the last four digits are those of ${addressOf(other.key)}` +
        `${other.name === null ? '' : ` (${other.name})`}, first paid on ${dateText(other.first_paid_at)}, and the digits between them differ. ` +
        'An alert is raised for every new wallet that shares those eight digits with a known one: such addresses are made for people who ' +
        'compare only the ends. Compare every digit with what the payee gave you, and pay nothing more until they agree.',
      subject: event.payee_id,
      seqs: [event.chain_seq],
      gathers: true,
    };
  },
});
