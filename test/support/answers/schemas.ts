import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '../../../scripts/openapi/json-schema.js';
import { document } from './document.js';

const componentsId = 'fairlead:components';

/** Ajv for JSON Schema 2020-12; it reports every error, and refuses unknown keywords and formats. */
function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, strictTypes: false });
  ajv.addVocabulary(['discriminator', 'x-open-enum']);
  // ajv-formats is CommonJS: Node exposes its default export as a member of the import.
  addFormats.default(ajv);
  return ajv;
}

const ajv = createAjv();
ajv.addSchema({
  $id: componentsId,
  $defs: Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [name, close(schema)]),
  ),
});

const compiled = new Map<string, ValidateFunction>();

/** The faults of a value under a schema of the document, one line each; empty where the value is as documented. */
export function faultsOf(schema: JsonSchema, value: unknown): string[] {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(close(schema));
  compiled.set(key, validate);
  return validate(value) ? [] : (validate.errors ?? []).map(describe);
}

/** A named component of the document, or undefined. */
export function componentSchema(name: string): JsonSchema | undefined {
  return name in document.components.schemas ? { $ref: `#/components/schemas/${name}` } : undefined;
}

function describe({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const extra =
    'additionalProperty' in params
      ? `: ${params.additionalProperty}`
      : 'allowedValues' in params
        ? `: ${JSON.stringify(params.allowedValues)}`
        : '';
  return `body${instancePath} ${message}${extra}`;
}

/**
 * The document leaves answers open, so that clients of today accept members of tomorrow. Tests are stricter: here every
 * object that lists its members is closed, and a member that the document does not know is a fault.
 */
function close(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref') return String(value).replace('#/components/schemas/', `${componentsId}#/$defs/`);
    const isSchema = typeof value === 'object' && value !== null && value.type !== undefined;
    return isSchema && typeof value.properties === 'object' && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value;
  });
}
