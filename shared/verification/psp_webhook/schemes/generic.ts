import { parseRfc3339 } from '#shared/values/rfc3339.ts';
import { SECOND } from '#shared/values/time.ts';
import { textOf } from '#shared/verification/json.ts';
import { type ReceivedWebhook, headerOf } from '#shared/verification/psp_webhook/delivery.ts';
import { fail, headerMissing, isSigned, open, pass, type Scheme } from '#shared/verification/psp_webhook/scheme.ts';

/**
 * A service that signs in its own way, as the source's `psp_config` describes it: the header with the signature, algorithm, encoding,
 * and a template over `{timestamp}`, `{id}` and `{body}`. The two come from the headers it names, else from `t=` in the signature's
 * header, or from headers beside that.
 * The header may hold several signatures, each behind `sha256=`, `v1=` or nothing.
 */
export const genericScheme: Scheme = (delivery, { secret, config }) => {
  const header = config && textOf(config, 'header')?.toLowerCase();
  const template = config && textOf(config, 'signed_string');
  const algorithm = config && textOf(config, 'algorithm');
  const encoding = config?.['encoding'];
  const is_known_algorithm = algorithm !== null && ['sha256', 'sha512', 'sha1'].includes(algorithm);
  if (!header || !template || !is_known_algorithm || (encoding !== 'hex' && encoding !== 'base64'))
    return open('config_missing', 'psp_config does not say how the service signs');
  if (!template.includes('{body}')) return open('config_unusable', 'the signed string does not cover the body');
  const value = headerOf(delivery, header);
  if (value === null) return headerMissing(header);
  if (delivery.raw === null)
    return open('body_not_raw', 'the body was kept as an object; its bytes are what is signed');
  const configuredHeader = (member: string): string | null => {
    const name = textOf(config, member);
    return name === null ? null : headerOf(delivery, name.toLowerCase());
  };
  const timestamp =
    configuredHeader('timestamp_header') ??
    /(?:^|[,;\s])t=([0-9]{1,16})(?=$|[,;\s])/.exec(value)?.[1] ??
    besides(delivery, header, 'timestamp');
  const id = configuredHeader('id_header') ?? besides(delivery, header, 'id');
  if (template.includes('{timestamp}') && timestamp === null) return headerMissing('a header with the timestamp');
  if (template.includes('{id}') && id === null) return headerMissing('a header with the id');
  // In one pass: the body may hold `{id}` itself.
  const parts: Record<string, string> = { timestamp: timestamp ?? '', id: id ?? '', body: delivery.raw };
  const signed = template.replaceAll(/\{(timestamp|id|body)\}/g, (_, name: string) => parts[name] ?? '');
  if (!isSigned({ algorithm, key: secret, encoding }, signed, signaturesIn(value))) return fail('signature_mismatch');
  const sent_at = template.includes('{timestamp}') && timestamp !== null ? instant(timestamp) : null;
  if (Number.isNaN(sent_at)) return fail('malformed', 'the timestamp is neither seconds, milliseconds nor RFC 3339');
  return pass(sent_at, template.includes('{id}') ? id : null);
};

const signaturesIn = (value: string): string[] =>
  value.split(/[,;\s]+/).map(part => part.replace(/^(?:sha(?:1|256|512)|v[0-9]+|s|sig|signature)=/i, ''));

/** `X-Acme-Timestamp` beside `X-Acme-Signature`, else a name that many use. */
function besides(delivery: ReceivedWebhook, header: string, what: 'timestamp' | 'id'): string | null {
  const sibling = header.replace(/(?:signature|hmac|digest).*$/, what);
  const usual = ['webhook', 'x-webhook', 'x', 'x-request', 'x-signature', 'x-event'].map(prefix => `${prefix}-${what}`);
  return headerOf(delivery, ...(sibling === header ? [] : [sibling]), ...usual);
}

/** Milliseconds since 1970 of seconds, milliseconds or RFC 3339; NaN when it is none of them. */
function instant(text: string): number {
  if (/^[0-9]{1,11}$/.test(text)) return Number(text) * SECOND;
  if (/^[0-9]{12,14}$/.test(text)) return Number(text);
  const time = parseRfc3339(text);
  return time.ok ? time.value : NaN;
}
