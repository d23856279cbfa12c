import type { Severity } from '#shared/casework/alerts.ts';
import type { VerdictText } from './report.ts';
import { verdict } from './words.ts';

/** What a verification came to. */
export const verificationVerdict = (result: 'verified' | 'failed' | 'inconclusive'): VerdictText =>
  verdict(result, result === 'verified' ? 'good' : result === 'failed' ? 'bad' : 'open');

/** What holding a payment against a mandate came to. */
export const mandateVerdict = (result: 'compliant' | 'breach' | 'unresolved'): VerdictText =>
  verdict(result, result === 'compliant' ? 'good' : result === 'breach' ? 'bad' : 'open');

/** How grave an alert is. */
export const severityVerdict = (severity: Severity): VerdictText =>
  verdict(severity, severity === 'critical' || severity === 'high' ? 'bad' : 'open');
