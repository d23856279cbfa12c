import { Presets, SingleBar } from 'cli-progress';

type Progress = { update(value: number): void; stop(): void };

/** A bar where a person watches; now and then a line where the output goes to a file. */
export function startProgress(label: string, total: number, out: NodeJS.WriteStream): Progress {
  return out.isTTY ? bar(label, total, out) : lines(label, total, out);
}

function bar(label: string, total: number, out: NodeJS.WriteStream): Progress {
  const format = `  ${label}  {bar}  {value} of {total}  {duration_formatted}`;
  const formatValue = (value: number) => value.toLocaleString('en-US');
  const drawn = new SingleBar(
    { format, formatValue, barsize: 40, hideCursor: true, stream: out },
    Presets.shades_classic,
  );
  drawn.start(total, 0);
  return { update: value => drawn.update(value), stop: () => drawn.stop() };
}

function lines(label: string, total: number, out: NodeJS.WriteStream): Progress {
  let quarters = 0;
  return {
    update(value) {
      const reached = Math.floor((4 * value) / total);
      if (reached > quarters)
        out.write(`  ${label}: ${value.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}\n`);
      quarters = Math.max(quarters, reached);
    },
    stop() {},
  };
}
