import { useEffect, useState } from 'preact/hooks';

const saidMs = 2_000;

/**
 * Copies a text, and says for two seconds that it was copied. `copy` is undefined without a clipboard, which is there on
 * HTTPS and loopback only: elsewhere the text is selected by hand.
 */
export function useCopying(text: string): { isCopied: boolean; copy: (() => void) | undefined } {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const { clipboard } = navigator;
  if (clipboard === undefined) return { isCopied, copy: undefined };
  const copy = () => {
    // A browser that refuses leaves the button as it is.
    clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => undefined,
    );
  };
  return { isCopied, copy };
}
