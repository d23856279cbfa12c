import { Presets, SingleBar } from 'cli-progress';

/** From the start to the link: the steps of the demo, and how much of its time each takes, in hundredths. */
const steps = {
  'Starting the service': 20,
  'Sending events': 35,
  'Analyzing events': 20,
  'Waiting for late reports': 15,
  'Building a pack': 10,
} as const;
type Step = keyof typeof steps;

/** `at` begins a step, `done` says how much of it is, from 0 to 1. `stop` leaves the line behind. */
export type Steps = { at(step: Step): void; done(share: number): void; stop(): void };

/** One bar where a person watches; a line for each step where the output goes to a file. */
export function startSteps(out: NodeJS.WriteStream): Steps {
  return out.isTTY ? bar(out) : { at: step => out.write(`  ${step}…\n`), done() {}, stop() {} };
}

function bar(out: NodeJS.WriteStream): Steps {
  const drawn = new SingleBar(
    { format: '  {bar}  {percentage}%  {duration_formatted}  {step}', barsize: 40, hideCursor: true, stream: out },
    Presets.shades_classic,
  );
  let step: Step = 'Starting the service';
  let before = 0;
  const draw = (share: number) => drawn.update(Math.round(before + share * steps[step]), { step });
  drawn.start(100, 0, { step });
  // What only waits shows that time passes.
  const timer = setInterval(() => drawn.updateETA(), 500).unref();
  return {
    at(next) {
      const names = Object.keys(steps) as Step[];
      before = names.slice(0, names.indexOf(next)).reduce((sum, name) => sum + steps[name], 0);
      step = next;
      draw(0);
    },
    done: draw,
    stop() {
      clearInterval(timer);
      drawn.update(100, { step: 'Done' });
      drawn.stop();
    },
  };
}
