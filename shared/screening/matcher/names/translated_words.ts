/**
 * Usual words of names of organizations that lists translate rather than transliterate, in the scripts that payees write them in. Of Chinese and
 * Korean they stand within longer words.
 */
export function translateUsualWords(name: string): string {
  if (!isOtherScript.test(name)) return name;
  return name
    .replace(within, word => ` ${ofSyllables[word] ?? word} `)
    .replace(abjadWords, word => (Object.hasOwn(ofAbjad, word) ? (ofAbjad[word] ?? word) : word));
}

const isOtherScript = /[\p{Script=Arabic}\p{Script=Han}\p{Script=Hangul}]/u;
const abjadWords = /\p{Script=Arabic}+/gu;

const ofAbjad: Record<string, string> = pairs(
  `شركة company|الشركة company|شرکت company|بنك bank|البنك bank|بانک bank|مصرف bank|المصرف bank|مؤسسة foundation|مؤسسه foundation|موسسه institute
   |شبكة network|شبکه network|جمعية society|جماعة group|الجماعة group|مجموعة group|گروه group|تنظيم organization|سازمان organization
   |منظمة organization|حركة movement|الدولة state|الإسلامية islamic|الاسلامية islamic|الاسلامي islamic|الإسلامي islamic|اسلامی islamic|للتجارة trading
   |التجارة trade|تجارة trade|بازرگانی trading|العامة general|الدولية international|بين‌المللی international|الوطنية national|ملی national
   |صناعات industries|صنایع industries|النفط oil|نفت oil|للشحن shipping|کشتیرانی shipping|هيئة authority|وزارة ministry|وزارت ministry
   |لبنان lebanon|العراق iraq|سوريا syria|ليبيا libya|ایران iran|إيران iran|اليمن yemen`,
);
const ofSyllables: Record<string, string> = pairs(
  `股份有限公司 limited|有限责任公司 llc|有限責任公司 llc|有限公司 limited|公司 company|集团 group|集團 group|银行 bank|銀行 bank|贸易 trading|貿易 trading
   |科技 technology|国际 international|國際 international|航运 shipping|航運 shipping|船务 shipping|船務 shipping|石油 petroleum|化工 chemical
   |电子 electronics|電子 electronics|投资 investment|投資 investment|实业 industrial|實業 industrial|進出口 import and export|进出口 import and export
   |株式会社 kk|주식회사 company|은행 bank|무역 trading|회사 company`,
);
const within = new RegExp(Object.keys(ofSyllables).join('|'), 'gu');

function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('|').map(pair => {
      const [word = '', ...english] = pair.trim().split(' ');
      return [word, english.join(' ')] as const;
    }),
  );
}
