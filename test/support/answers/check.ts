import { type ErrorCode, errorTable } from '../../../contract/errors.js';
import { edgeCodes } from '../../../scripts/openapi/answers.js';
import { pascalCase } from '../../../scripts/openapi/zod-schema.js';
import { componentResponse, type DocumentedResponse, findOperation, findResponse } from './document.js';
import { recordAnswer } from './record.js';
import { componentSchema, faultsOf } from './schemas.js';

export interface Answer {
  method: string;
  /** The path as requested; a query is ignored. */
  path: string;
  status: number;
  headers: AnswerHeaders;
  /** Parsed JSON; for a stream, the data of an event; undefined where there was no body. */
  body: unknown;
}

export type AnswerHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Paths outside the contract: the document does not list them, and their answers have tests of their own. */
const operational = /^\/(healthz|readyz|metrics|openapi(\.client)?\.json|docs(\/.*)?)$/;

/**
 * Checks an answer against docs/openapi.json: the operation lists the status, the body matches its schema without further
 * members, and the promised headers are present and well-formed. Throws an error that lists every fault. Records the answer
 * for scripts/check-answers-seen.ts.
 */
export function checkAnswer(answer: Answer): void {
  const method = answer.method.toUpperCase();
  const faults = method === 'OPTIONS' ? optionsFaults(answer) : answerFaults(answer, method);
  if (faults.length === 0) return;
  const shown = JSON.stringify(answer.body)?.slice(0, 600) ?? 'no body';
  throw new Error(
    `${method} ${answer.path} answered ${answer.status}, which is not as docs/openapi.json has it ` +
      `(after a change of the contract: npm run openapi):\n${faults.map((fault) => `  - ${fault}`).join('\n')}\n` +
      `  answer: ${shown}`,
  );
}

function answerFaults(answer: Answer, method: string): string[] {
  const operation = findOperation(method, answer.path);
  if (operation === undefined) return unlistedFaults(answer, method);
  const response = findResponse(operation, answer.status);
  if (response === undefined) return edgeFaults(answer, method, operation.operationId);
  const faults = [...headerFaults(answer, response), ...bodyFaults(answer, method, response)];
  if (faults.length === 0 && method !== 'HEAD')
    recordAnswer({ operationId: operation.operationId, status: answer.status });
  return faults;
}

/** The faults of an answer given before the operation was reached, which only the codes for that may do. */
function edgeFaults(answer: Answer, method: string, operationId: string): string[] {
  const code = codeOf(answer.body);
  const isEdge = edgeCodes.some((edge) => edge === code && errorTable[edge].status === answer.status);
  const edgeError = { $ref: '#/components/schemas/EdgeError' };
  if (isEdge) return [...faultsOf(edgeError, answer.body), ...edgeHeaderFaults(answer)];
  if (method === 'HEAD' && edgeCodes.some((edge) => errorTable[edge].status === answer.status)) return [];
  return [`${operationId} does not list the status ${answer.status}`];
}

/** The faults of the headers that `default` promises for every operation. */
function edgeHeaderFaults(answer: Answer): string[] {
  const response = componentResponse('EdgeError');
  return response === undefined ? ['the document has no EdgeError'] : headerFaults(answer, response);
}

/** The faults for a path or method without an operation: an error in the common shape, or an operational path. */
function unlistedFaults(answer: Answer, method: string): string[] {
  if (operational.test(answer.path.replace(/\?.*$/, ''))) return [];
  if (method === 'HEAD' && answer.status >= 400) return [];
  const code = codeOf(answer.body);
  if (code === undefined || errorTable[code].status !== answer.status)
    return ['the document lists no operation here, and the answer is not an error in the common shape'];
  const schema =
    componentSchema(`${pascalCase(code)}Error`) ??
    (edgeCodes.some((edge) => edge === code) ? componentSchema('EdgeError') : undefined);
  if (schema === undefined) return [`the code ${code} cannot occur where no operation is`];
  return [
    ...faultsOf(schema, answer.body),
    ...edgeHeaderFaults(answer),
    ...(answer.status === 405 && header(answer, 'Allow') === undefined
      ? ['the header Allow is missing']
      : []),
  ];
}

function optionsFaults(answer: Answer): string[] {
  if (answer.status === 204)
    return header(answer, 'Allow') === undefined ? ['the header Allow is missing'] : [];
  return unlistedFaults(answer, 'OPTIONS');
}

function headerFaults(answer: Answer, response: DocumentedResponse): string[] {
  const faults = Object.entries(response.headers).flatMap(([name, { required, schema }]) => {
    const value = header(answer, name);
    if (value === undefined) return required ? [`the header ${name} is missing`] : [];
    const parsed = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
    return faultsOf(schema, parsed).map(
      (fault) => `${fault.replace('body', `the header ${name}`)}: ${value}`,
    );
  });
  const { body } = answer;
  if (typeof body === 'object' && body !== null && 'retryAfter' in body) {
    const value = header(answer, 'Retry-After');
    if (value !== String(body.retryAfter))
      faults.push(`Retry-After is ${value}, but the body says ${String(body.retryAfter)}`);
  }
  return faults;
}

function bodyFaults(answer: Answer, method: string, { schema, otherTypes }: DocumentedResponse): string[] {
  if (schema === undefined || method === 'HEAD') {
    return answer.body === undefined ? [] : ['there is a body where none is documented'];
  }
  const type = header(answer, 'Content-Type') ?? 'none';
  if (type === 'text/event-stream; charset=utf-8' && otherTypes.includes('text/event-stream')) {
    return faultsOf(schema, answer.body);
  }
  if (otherTypes.some((other) => type === `${other}; charset=utf-8`)) return [];
  if (!/^application\/json; charset=utf-8$/.test(type)) return [`the Content-Type is ${type}`];
  return faultsOf(schema, answer.body);
}

function header(answer: Answer, name: string): string | undefined {
  const { headers } = answer;
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const wanted = name.toLowerCase();
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === wanted)?.[1];
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

function codeOf(body: unknown): ErrorCode | undefined {
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
  return Object.hasOwn(errorTable, code) ? (code as ErrorCode) : undefined;
}
