import { readFile } from 'node:fs/promises';
import { type HasGlyph, readGlyphs } from './glyphs.ts';

/** The fonts for a text: their files, their names in order of preference, and whether one of them can show a letter with all its marks. */
export type Fonts = { files: Buffer[]; families: string[]; has(cluster: string): boolean };

/**
 * The fonts that these characters need, regular and bold, from npm packages, so that the files are the same on every machine. A font is
 * loaded only when the ones before it lack a character of its script; those for Chinese and Korean have 17 and 9 MB.
 */
export async function fontsFor(characters: Iterable<string>): Promise<Fonts> {
  let missing = [...characters];
  const fonts: Fonts & { glyphs: HasGlyph[] } = {
    files: [],
    families: [],
    glyphs: [],
    has: cluster =>
      fonts.glyphs.some(has => Array.from(cluster).every(character => has(character.codePointAt(0) ?? 0))),
  };
  for (const { name, script, language, file } of families) {
    if (fonts.files.length > 0 && !missing.some(character => script.test(character))) continue;
    const folder = new URL('../fonts/', import.meta.resolve(`@embedpdf/fonts-${language}`));
    const files = await Promise.all(
      ['Regular', 'Bold'].map(weight => readFile(new URL(file.replace('*', weight), folder))),
    );
    const glyphs = files.map(readGlyphs);
    fonts.files.push(...files);
    fonts.families.push(name);
    fonts.glyphs.push(code_point => glyphs.every(has => has(code_point)));
    missing = missing.filter(character => !fonts.has(character));
  }
  return fonts;
}

/** Noto, by script; `name` is the family name in the files. The first is always loaded. */
const families = [
  { name: 'Noto Sans', language: 'latin', file: 'NotoSans-*.ttf', script: /\p{Script=Latin}/u },
  {
    name: 'Noto Naskh Arabic',
    language: 'arabic',
    file: 'NotoNaskhArabic-*.ttf',
    script: /[\p{Script=Arabic}\u060C-\u061F]/u,
  },
  { name: 'Noto Sans Hebrew', language: 'hebrew', file: 'NotoSansHebrew-*.ttf', script: /\p{Script=Hebrew}/u },
  {
    name: 'Noto Sans S Chinese',
    language: 'sc',
    file: 'NotoSansHans-*.otf',
    script: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]/u,
  },
  { name: 'Noto Sans Korean', language: 'kr', file: 'NotoSansKR-*.otf', script: /[\p{Script=Hangul}\p{Script=Han}]/u },
] as const;
