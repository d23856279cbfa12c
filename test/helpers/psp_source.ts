import type { ExecutionContext } from 'ava';
import type { Sent } from './psp.ts';
import { world } from './world.ts';

/** A world with a source that its payment service sends webhooks to. */
export async function withSource(t: ExecutionContext, members: object, options: Parameters<typeof world>[1] = {}) {
  const here = await world(t, options);
  const { body: source } = await here.as.post('/v1/sources', { name: 'till', kind: 'psp_webhook', ...members });
  const path = `/v1/sources/${source.id}`;
  const nobody = here.client();
  const send = ({ body, headers }: Sent, to = path) => nobody.send('POST', `${to}/webhooks`, { body, headers });
  const events = async () => (await here.as.get('/v1/events')).body.data;
  const unread = async () => (await here.as.get(`${path}/unread`)).body.data;
  return { ...here, source, path, send, events, unread };
}

/** The secret of a source whose payment service takes any text, and that of one of Adyen's. */
export const secret = 'whsec_5e1f';
export const hex = '44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056';
export const signing = { header: 'X-Acme-Signature', algorithm: 'sha256', encoding: 'hex', signed_string: '{body}' };

/** What a source has whose webhooks Stripe signs, Adyen, or a service of one's own. */
export const ofStripe = { psp_scheme: 'stripe', signing_secret: secret };
export const ofAdyen = { psp_scheme: 'adyen', signing_secret: hex };
export const ofAcme = { psp_scheme: 'generic', signing_secret: secret, psp_config: signing };
