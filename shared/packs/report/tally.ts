import type {
  PackAlert,
  PackCase,
  PackEvaluation,
  PackEvent,
  PackEvidence,
  PackHeader,
  PackMandate,
  PackScreening,
  PackVerification,
} from '#shared/packs/pack_files.ts';
import { coverFacts, kindNames } from './cover.ts';
import { createPackReferences } from './references.ts';
import { LONGEST_TEXT } from './limits.ts';
import { outside, shown } from './outside.ts';
import { createAlertsPart } from '#shared/packs/report/parts/alerts.ts';
import { caseSection } from '#shared/packs/report/parts/case.ts';
import { checkSection, limitsSection } from '#shared/packs/report/parts/closing.ts';
import { createEvaluationsPart } from '#shared/packs/report/parts/evaluations.ts';
import { createEventsPart } from '#shared/packs/report/parts/events.ts';
import { createEvidencePart } from '#shared/packs/report/parts/evidence.ts';
import { createMandatesPart } from '#shared/packs/report/parts/mandates.ts';
import { paymentFigures, paymentsSection } from '#shared/packs/report/parts/payments.ts';
import { sumPayments } from '#shared/packs/report/parts/payment_sums.ts';
import { createScreeningsPart } from '#shared/packs/report/parts/screenings.ts';
import { createTimelinePart } from '#shared/packs/report/parts/timeline.ts';
import { createVerificationsPart } from '#shared/packs/report/parts/verifications.ts';
import { type FigureName, plans, type SectionName } from './plans.ts';
import type { Figure, PackReport, ReportSection } from './report.ts';
import { createSpendBook } from './spend.ts';

/** Receives the contents of a pack's files, in their order and line by line, and creates the report. */
export type ReportTally = {
  event(event: PackEvent): void;
  evidence(item: PackEvidence): void;
  verification(run: PackVerification): void;
  mandate(version: PackMandate): void;
  evaluation(evaluation: PackEvaluation): void;
  alert(alert: PackAlert): void;
  screening(screening: PackScreening): void;
  case(record: PackCase | null): void;
  report(): PackReport;
};

/** Memory is bounded by what the numbers need, some hundred bytes a payment: of long tables only the rows to be shown are kept. */
export function createTally(header: PackHeader): ReportTally {
  const references = createPackReferences();
  const book = createSpendBook();
  const events = createEventsPart();
  const evidence = createEvidencePart();
  const verifications = createVerificationsPart();
  const mandates = createMandatesPart(references);
  const evaluations = createEvaluationsPart(mandates);
  const alerts = createAlertsPart(references);
  const screenings = createScreeningsPart(references);
  const timeline = createTimelinePart(references);
  let found_case: PackCase | null = null;
  let not_analyzed = 0;
  return {
    event(event) {
      if (event.chain_seq > header.log.analyzed_seq) not_analyzed += 1;
      for (const part of [references, timeline]) part.event(event);
      for (const part of [book, events]) part.add(event);
    },
    evidence: evidence.add,
    verification(run) {
      verifications.add(run);
      timeline.verification(run);
    },
    mandate: mandates.add,
    evaluation(evaluation) {
      evaluations.add(evaluation);
      timeline.evaluation(evaluation);
    },
    alert(alert) {
      alerts.add(alert);
      timeline.alert(alert);
    },
    screening(screening) {
      screenings.add(screening);
      timeline.screening(screening);
    },
    case(record) {
      found_case = record;
      if (record) timeline.case(record);
    },
    report() {
      const span = events.span();
      const sums = sumPayments(book.payments(), span && { from: Date.parse(span.from), to: Date.parse(span.to) });
      const figures: Record<FigureName, Figure> = {
        events: events.figure(),
        ...paymentFigures(sums),
        evidence: evidence.figure(),
        verifications: verifications.figure(),
        breaches: evaluations.figure(),
        alerts: alerts.figure(),
        screenings: screenings.figure(),
      };
      const sections: Record<SectionName, ReportSection | null> = {
        case: found_case && caseSection(found_case, references),
        timeline: timeline.section(),
        payments: paymentsSection(sums, references),
        verifications: verifications.section(),
        mandates: mandates.section(),
        evaluations: evaluations.section(),
        alerts: alerts.section(),
        screenings: screenings.section(),
        events: events.section(),
        evidence: evidence.section(),
        check: checkSection(header),
        limits: limitsSection(),
      };
      const { pack, organization } = header;
      const plan = plans[pack.kind];
      const kind = kindNames[pack.kind];
      return {
        kind,
        title: pack.title === null ? kind : outside(pack.title, LONGEST_TEXT),
        name: `${pack.title === null ? kind : shown(pack.title)} – ${shown(organization.name)}`,
        pack_id: pack.id,
        created_at: pack.created_at,
        facts: coverFacts(header, events.count(), span, not_analyzed),
        figures: plan.figures.map(name => figures[name]),
        sections: plan.sections.flatMap(name => sections[name] ?? []),
      };
    },
  };
}
