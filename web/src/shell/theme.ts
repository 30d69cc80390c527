import { keepChoice, keptChoice, nameInAddress } from '../data/kept-choice.js';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storedUnder = 'fairlead-theme';

/** What the reader chose before, else the system's. */
function chosenTheme(): Theme {
  const kept = keptChoice(storedUnder);
  return themes.find((theme) => theme === kept) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  keepChoice(storedUnder, theme);
  nameInAddress('theme', theme);
  applyTheme(theme);
}

/** The theme that the address names, as a frame's does, else the one that the reader chose. */
export function preferredTheme(search: string): Theme {
  const asked = new URLSearchParams(search).get('theme');
  return themes.find((theme) => theme === asked) ?? chosenTheme();
}

/** Sets the theme; without a choice, the style sheet follows the system. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
