import { hash } from 'node:crypto';
import { findCardNumber } from '#shared/values/card_number.ts';
import { pointerTo } from '#shared/json/json_pointer.ts';
import type { ReportIssue } from '#shared/json/issues.ts';
import { plainJson, plainJsonExpected } from './event_rules.ts';
import { type EvidenceInput, MAX_EVIDENCE_BYTES } from './evidence_input.ts';

/** Checks each piece of evidence (size, encoding, no full card number) and hashes its bytes; null when a problem was reported. */
export function normalizeEvidence(items: readonly EvidenceInput[], report: ReportIssue): NormalizedEvidence[] | null {
  const normalized: NormalizedEvidence[] = [];
  for (const [index, item] of items.entries()) {
    const done = normalizeItem(item, (path, code, expected) => report(`/evidence/${index}${path}`, code, expected));
    if (done) normalized.push(done);
  }
  return normalized.length === items.length ? normalized : null;
}

/** `value`: a string as it was sent, an object as its canonical JSON; `sha256` (hex) covers the bytes they stand for. */
export type NormalizedEvidence = {
  kind: string;
  media_type: string | null;
  encoding: 'utf8' | 'base64';
  label: string | null;
  value: string;
  is_object: boolean;
  sha256: string;
};

function normalizeItem(item: EvidenceInput, report: ReportIssue): NormalizedEvidence | null {
  const { kind, encoding = 'utf8' } = item;
  const is_object = typeof item.value !== 'string';
  const value = valueText(item.value);
  if (value === null) return refuse(report, '/value', 'invalid_value', plainJsonExpected);
  if (value === '') return refuse(report, '/value', 'too_short', 'must not be empty');
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_EVIDENCE_BYTES)
    return refuse(
      report,
      '/value',
      'too_long',
      `must be at most 64 KB (${MAX_EVIDENCE_BYTES} bytes), not ${bytes} bytes`,
    );
  if (encoding === 'base64' && is_object)
    return refuse(report, '/encoding', 'not_allowed', 'must be left out when value is an object');
  const decoded = encoding === 'base64' ? Buffer.from(value, 'base64') : value;
  if (typeof decoded !== 'string' && decoded.toString('base64') !== value) {
    return refuse(
      report,
      '/value',
      'invalid_format',
      'must be base64 (RFC 4648 §4) with padding and without line breaks, as encoding says',
    );
  }
  const card = cardKind.test(kind) ? findCardNumber(is_object ? item.value : decoded.toString()) : null;
  if (card) {
    return refuse(
      report,
      `/value${pointerTo(card)}`,
      'card_number',
      'holds a full card number; send a token or the last four digits instead',
    );
  }
  return {
    kind,
    media_type: item.media_type ?? null,
    encoding,
    label: item.label ?? null,
    value,
    is_object,
    sha256: hash('sha256', decoded),
  };
}

const cardKind = /^(?:acp|psp|card)\./;

const valueText = (value: EvidenceInput['value']): string | null => {
  if (typeof value !== 'string') return plainJson(value);
  return value.includes('\0') || !value.isWellFormed() ? null : value;
};

function refuse(report: ReportIssue, path: string, code: string, expected: string): null {
  report(path, code, expected);
  return null;
}
