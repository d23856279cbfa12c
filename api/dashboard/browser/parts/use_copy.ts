import { useEffect, useRef, useState } from 'preact/hooks';

const SHOWN = 2_500;

/** Copies a text, and shows for a moment whether that worked: browsers allow it only over https or on localhost. */
export function useCopy(text: string): { copy: () => void; said: string } {
  const [said, setSaid] = useState('');
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const say = (words: string) => {
    setSaid(words);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setSaid(''), SHOWN);
  };
  // Without a secure context there is no clipboard at all, whatever the types say.
  const write = async () => navigator.clipboard.writeText(text);
  return {
    said,
    copy: () =>
      void write().then(
        () => say('copied'),
        () => say('Not copied: select the text and press Ctrl+C'),
      ),
  };
}
