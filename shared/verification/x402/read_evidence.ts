import { z } from 'zod';
import { parseEvmAddress } from '#shared/values/evm_address.ts';
import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';
import { isObject } from '#shared/verification/json.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import type { Evidence } from '#shared/verification/verifier.ts';

/** The result of reading: the value, or why it is invalid (to follow a name). */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; reason: string };

/** The object in a piece of evidence; null when it was erased or is not an object, which is recorded. */
export function openEvidence(list: Checklist, { value }: Evidence): Record<string, unknown> | null {
  if (value === null) {
    list.open('payload', 'evidence_erased');
    return null;
  }
  const parsed = readObject(value);
  if (parsed.ok) return parsed.value;
  list.fail('payload', 'invalid_payload', parsed.reason);
  return null;
}

/** An object as it is, from JSON text, or from JSON in base64 or base64url, as x402 headers carry it. */
export function readObject(value: string | Record<string, unknown>): ReadResult<Record<string, unknown>> {
  if (typeof value === 'string') return readText(value.trim());
  return isObject(value) ? { ok: true, value } : { ok: false, reason: 'is not an object' };
}

/** Parses a value by a schema; the reason names the first invalid member, and quotes nothing. */
export function readAs<T>(schema: z.ZodType<T>, value: unknown): ReadResult<T> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  return { ok: false, reason: `${path && `${path}: `}${issue?.message ?? 'is malformed'}` };
}

/** An EVM address, in lower case; one in mixed case must have the right checksum (EIP-55). */
export const Address = z.unknown().transform((value, context) => {
  const address = typeof value === 'string' ? parseEvmAddress(value) : null;
  if (address?.ok) return address.value.toLowerCase();
  return refuse(context, address?.expected ?? 'must be a text');
});

/** An unsigned integer of 256 bits as its shortest decimal text; small ones also come as JSON numbers. */
export const Uint256 = z.unknown().transform((value, context) => {
  // One function instead of a union of schemas: every payment has several of these, and this is five times as fast.
  const number = typeof value === 'string' ? decimal.test(value) : Number.isSafeInteger(value) && Number(value) >= 0;
  const integer = number ? BigInt(value as string | number) : -1n;
  return integer >= 0n && integer < 2n ** 256n ? integer : refuse(context, 'must be an unsigned integer of 256 bits');
});

/** 32 bytes: `0x` and 64 hex digits, in lower case. */
export const Bytes32 = z.unknown().transform((value, context) => {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)) return value.toLowerCase();
  return refuse(context, 'must be 0x and 64 hexadecimal digits');
});

const decimal = /^(?:0|[1-9][0-9]{0,77})$/;

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

const MOST_CHARACTERS = 100_000;

function readText(text: string): ReadResult<Record<string, unknown>> {
  if (text.length > MOST_CHARACTERS) return { ok: false, reason: 'is too long' };
  const bytes = text.startsWith('{') ? Buffer.from(text, 'utf8') : fromBase64(text);
  if (!bytes) return { ok: false, reason: 'is neither JSON nor JSON in base64' };
  try {
    const value = parseStrictJson(bytes);
    return isObject(value) ? { ok: true, value } : { ok: false, reason: 'is not a JSON object' };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { ok: false, reason: `is not sound JSON: ${error.code}${error.path && ` at ${error.path}`}` };
  }
}

/** Base64 or base64url, with or without padding, exactly as an encoder writes it. */
function fromBase64(text: string): Buffer | null {
  const encoding = /[-_]/.test(text) ? 'base64url' : 'base64';
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding).replace(/=+$/, '') === text.replace(/={1,2}$/, '') ? bytes : null;
}
