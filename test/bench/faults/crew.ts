import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { flagsOf, startProcess } from '../processes.ts';
import { freePort } from '#test/helpers/listening.ts';

/** The process types of the Procfile that serve. */
export const crewTypes = ['web', 'detect', 'screen', 'pack', 'webhook', 'schedule'] as const;
export type CrewType = (typeof crewTypes)[number];

/** The processes of the Procfile, as a supervisor keeps them: one that ended is started again at once. */
export type Crew = {
  address: string;
  /** Ends the process of a type with SIGKILL and starts the next one. */
  kill(type: CrewType): Promise<void>;
  /** Starts one more process of a type, which whoever asked for it stops. */
  another(type: CrewType): Promise<{ pid: number; stop(): Promise<void> }>;
  /** The same as `kill`, and the next one's clock is so many milliseconds off. */
  skew(type: CrewType, ms: number): Promise<void>;
  /** Stops the process of a type with SIGSTOP for so many milliseconds. */
  freeze(type: CrewType, ms: number): Promise<void>;
  /** The most that the process of a type has held since `forgetMemory`, in MB; on Linux. */
  mostMemory(type: CrewType): Promise<number>;
  forgetMemory(): Promise<void>;
  stop(): Promise<void>;
};

export async function startCrew(
  data_dir: string,
  settings: Record<string, string>,
  hear?: (line: string) => void,
): Promise<Crew> {
  const port = await freePort();
  const start = (type: CrewType, more: Record<string, string> = {}) =>
    startProcess(
      data_dir,
      [...flagsOf(type), ...(type === 'web' ? ['api/main.ts'] : ['workers/main.ts', type])],
      { LOG_LEVEL: 'fatal', ...(type === 'web' && { PORT: String(port), LOG_LEVEL: 'info' }), ...settings, ...more },
      hear,
    );
  const running = new Map<CrewType, Awaited<ReturnType<typeof start>>>();
  for (const type of crewTypes) running.set(type, await start(type));
  const childOf = (type: CrewType) => running.get(type)?.child;
  const replace = async (type: CrewType, more?: Record<string, string>) => {
    const child = childOf(type);
    child?.kill('SIGKILL');
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    running.set(type, await start(type, more));
  };
  return {
    address: `http://127.0.0.1:${port}`,
    kill: type => replace(type),
    another: type => start(type),
    skew: (type, ms) => replace(type, { NODE_OPTIONS: clockOff(ms) }),
    async freeze(type, ms) {
      childOf(type)?.kill('SIGSTOP');
      await pause(ms);
      childOf(type)?.kill('SIGCONT');
    },
    mostMemory: async type => (await running.get(type)?.mostMemory()) ?? 0,
    forgetMemory: async () => void (await Promise.all([...running.values()].map(each => each.forgetMemory()))),
    stop: async () => void (await Promise.all([...running.values()].map(each => each.stop()))),
  };
}

/** What has the clock of a process be off. */
const clockOff = (ms: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(`
    const Right = Date;
    globalThis.Date = class extends Right {
      constructor(...given) { super(...(given.length === 0 ? [Right.now() + ${ms}] : given)); }
      static now() { return Right.now() + ${ms}; }
    };`)}`;
