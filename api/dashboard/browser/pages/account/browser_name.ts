/** A browser and what it runs on, by its User-Agent, as far as that says; the text itself where it says something else. */
export function browserName(user_agent: string | null): string {
  if (!user_agent) return 'Unknown browser';
  const browser = browsers.find(([pattern]) => pattern.test(user_agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(user_agent))?.[1];
  if (!browser) return user_agent.slice(0, 60);
  return system ? `${browser} on ${system}` : browser;
}

/** The order matters: Edge and Opera also name Chrome, and Chrome names Safari. */
const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];
