import type { Severity } from '#shared/casework/alerts.ts';
import type { VerdictText } from './report.ts';
import { verdict } from './words.ts';

export const verificationVerdict = (result: 'verified' | 'failed' | 'inconclusive'): VerdictText =>
  verdict(result, result === 'verified' ? 'good' : result === 'failed' ? 'bad' : 'open');

/** The result of evaluating a payment against a mandate. */
export const mandateVerdict = (result: 'compliant' | 'breach' | 'unresolved'): VerdictText =>
  verdict(result, result === 'compliant' ? 'good' : result === 'breach' ? 'bad' : 'open');

/** The severity of an alert. */
export const severityVerdict = (severity: Severity): VerdictText =>
  verdict(severity, severity === 'critical' || severity === 'high' ? 'bad' : 'open');
