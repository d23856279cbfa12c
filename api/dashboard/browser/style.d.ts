/** esbuild gathers style sheets; to TypeScript they are nothing. */
declare module '*.css';
