import { describe, expect, it } from '@jest/globals';
import english from '../../../web/locales/en.json' with { type: 'json' };
import { createTexts, type TextKey } from '../../../web/src/i18n/translate.js';

const { t } = createTexts('en', english);

describe('a reason that a newer service gives', () => {
  it('is shown as it is where it is a part of the name of its text', () => {
    expect(t('offramp.ended_something_new' as TextKey)).toBe('something_new');
  });
});
