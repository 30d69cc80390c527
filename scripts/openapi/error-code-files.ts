import { errorTable } from '../../contract/errors.js';
import { wrapWords } from './wrap-words.js';

const notice = 'Written by `npm run generate` from contract/errors.ts; do not edit.';

const codes = Object.entries(errorTable).map(([code, { when }]) => ({ code, when }));

/** `RATE_LIMITED` → `RateLimited`, with acronyms in capitals as Go has them. */
function goName(code: string): string {
  const acronyms = ['JSON', 'URI'];
  return code
    .split('_')
    .map((word) => (acronyms.includes(word) ? word : word.charAt(0) + word.slice(1).toLowerCase()))
    .join('');
}

/** Lines of at most `width` characters, each after the prefix. */
function wrapped(text: string, prefix: string, width = 116): string {
  const lines = wrapWords(text, width - prefix.length);
  return lines.map((line) => `${prefix}${line}`).join('\n');
}

function goFile(): string {
  const constants = codes.map(
    ({ code, when }) =>
      `${wrapped(`Code${goName(code)}: ${when}`, '\t// ')}\n\tCode${goName(code)} Code = "${code}"`,
  );
  return `// Code generated from contract/errors.ts by npm run generate; DO NOT EDIT.

package fairlead

// Code says what went wrong, for programs. A newer service may have codes that are not listed here.
type Code string

const (
${constants.join('\n')}
)
`;
}

function pythonFile(): string {
  const members = codes.map(({ code, when }) => `${wrapped(when, '    # ', 108)}\n    ${code} = "${code}"`);
  return `"""What went wrong, for programs. ${notice}"""

from enum import Enum


class Code(str, Enum):
    """Every error code of this version; a newer service may have others."""

${members.join('\n')}
`;
}

function javaFile(): string {
  const members = codes.map(({ code, when }) => `    /** ${when} */\n    ${code}`);
  return `package org.fairlead.client;

/** What went wrong, for programs. ${notice} */
public enum ErrorCode {
${members.join(',\n')},
    /** A code of a newer service, or an answer that is not the service's; see {@link FairleadException#codeText()}. */
    UNKNOWN;

    static ErrorCode of(String text) {
        for (ErrorCode code : values()) {
            if (code.name().equals(text)) return code;
        }
        return UNKNOWN;
    }
}
`;
}

/** The list of error codes for each client under clients/, by its path from the root of the repository. */
export function errorCodeFiles(): { path: string; text: string }[] {
  return [
    { path: 'clients/go/codes.gen.go', text: goFile() },
    { path: 'clients/python/src/fairlead/codes.py', text: pythonFile() },
    { path: 'clients/java/src/main/java/org/fairlead/client/ErrorCode.java', text: javaFile() },
  ];
}
