import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { TimedReplay, TimedDetector, TimedFinding } from '#shared/detection/model/detector.ts';
import { judgeSilence, SilenceParams, silentAt } from '#shared/detection/model/silence.ts';
import { addArrival, beginRhythm, type SourceRhythm } from '#shared/detection/model/source_rhythm.ts';
import { SECOND } from '#shared/values/time.ts';

/** A source that sends events regularly stops sending them. */
export const silentSource: TimedDetector = {
  name: 'silent_source',
  about: 'A source that sends events regularly stops sending them.',
  params: SilenceParams,
  whichever_agent: true,
  replay: params => replaySilence(SilenceParams.parse(params)),
};

type Source = {
  rhythm: SourceRhythm;
  last: DetectionEvent;
  /** When it has been silent too long; null: never; undefined: not computed yet. */
  silent_at: number | null | undefined;
};

/** Replays a log as the sweeps would; it cannot know which sources were disabled, or their names. */
function replaySilence(params: SilenceParams): TimedReplay {
  const sources = new Map<string, Source>();
  const least = params.least_silence_s * SECOND;

  function tell(until: number): TimedFinding[] {
    const findings: TimedFinding[] = [];
    for (const source of sources.values()) {
      const { rhythm, last } = source;
      // Almost always true, so it comes first.
      if (until < rhythm.last_at + least || rhythm.told) continue;
      if (source.silent_at === undefined) source.silent_at = silentAt(rhythm, params);
      if (source.silent_at === null || source.silent_at > until) continue;
      rhythm.told = true;
      const finding = judgeSilence(last, null, rhythm, params);
      if (finding) findings.push({ event: last, finding });
    }
    return findings;
  }

  return {
    take(event) {
      const { source_id, received_at } = event;
      const findings = tell(received_at - 1);
      const rhythm = sources.get(source_id)?.rhythm ?? beginRhythm(received_at);
      addArrival(rhythm, received_at);
      sources.set(source_id, { rhythm, last: event, silent_at: undefined });
      return findings;
    },
    end: tell,
  };
}
