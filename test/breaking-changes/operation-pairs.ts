import type {
  Answer,
  OpenApi,
  Operation,
  Parameter,
} from '../../scripts/breaking-changes/document-parts.rules.js';

/** A change of a document and what it breaks; `back` is what the opposite change breaks. */
export interface OperationPair {
  title: string;
  change: (document: Sample) => void;
  breaks?: string;
  back?: string;
}

/** A document with one part of each kind, and access to its parts by name. */
export interface Sample {
  document: OpenApi;
  get: Operation;
  post: Operation;
  webhook: Operation;
  parameter(name: string): Parameter;
  answer(operation: 'get' | 'post', status: number): Answer;
}

const json = (properties: object) => ({
  'application/json': { schema: { type: 'object', properties } },
});
const text = { type: 'string' };

export function sample(): Sample {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    paths: {
      '/things/{id}': {
        get: {
          operationId: 'getThing',
          tags: ['things'],
          summary: 'One thing',
          security: [],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'sort', in: 'query', schema: { type: 'string', default: 'name' } },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          ],
          responses: {
            200: {
              description: 'The thing.',
              headers: { ETag: { required: true, schema: { type: 'string' } } },
              content: { ...json({ name: text }), 'text/csv': { schema: { type: 'string' } } },
            },
            404: { description: 'None.', content: json({ code: text }) },
          },
        },
      },
      '/things': {
        post: {
          operationId: 'makeThing',
          tags: ['things'],
          security: [{ key: [] }],
          requestBody: {
            content: { ...json({ name: text }), 'text/plain': { schema: { type: 'string' } } },
          },
          responses: { 201: { description: 'Made.', content: json({ id: text }) } },
        },
      },
    },
    webhooks: {
      'thing.made': {
        post: {
          operationId: 'onThingMade',
          security: [],
          parameters: [{ name: 'X-Signature', in: 'header', required: true, schema: { type: 'string' } }],
          requestBody: { required: true, content: json({ id: text }) },
          responses: { '2XX': { description: 'Received.' }, '5XX': { description: 'Not now.' } },
        },
      },
    },
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  } as unknown as OpenApi;
  return {
    document,
    get: document.paths['/things/{id}']?.get as Operation,
    post: document.paths['/things']?.post as Operation,
    webhook: document.webhooks?.['thing.made']?.post as Operation,
    parameter(name) {
      return this.get.parameters?.find((one) => one.name === name) as Parameter;
    },
    answer(operation, status) {
      return this[operation].responses[status] as Answer;
    },
  };
}

function move<T>(record: Record<string, T>, from: string, to: string): void {
  record[to] = record[from] as T;
  delete record[from];
}

function schemes(document: OpenApi): Record<string, object> {
  return document.components?.securitySchemes ?? {};
}

export const operationPairs: readonly OperationPair[] = [
  {
    title: 'an operation is gone',
    change: ({ document }) => delete document.paths['/things'],
    breaks: 'makeThing: POST /things is no longer there',
  },
  {
    title: 'an operation has another path',
    change: ({ document }) => move(document.paths, '/things', '/stuff'),
    breaks: 'makeThing: POST /things is POST /stuff now',
    back: 'makeThing: POST /stuff is POST /things now',
  },
  {
    title: 'an operation has another method',
    change: ({ document }) => move(document.paths['/things'] ?? {}, 'post', 'put'),
    breaks: 'makeThing: POST /things is PUT /things now',
    back: 'makeThing: PUT /things is POST /things now',
  },
  {
    title: 'an operation has another id',
    change: ({ get }) => {
      get.operationId = 'readThing';
    },
    breaks: 'getThing: operationId was getThing, is readThing now',
    back: 'readThing: operationId was readThing, is getThing now',
  },
  {
    title: 'an operation is in another group',
    change: ({ get }) => {
      get.tags = ['stuff'];
    },
    breaks: 'getThing: tag was things, is stuff now',
    back: 'getThing: tag was stuff, is things now',
  },
  {
    title: 'an operation is deprecated',
    change: ({ get }) => Object.assign(get, { deprecated: true }),
  },
  {
    title: 'a parameter of the path has another name',
    change: (sample) => {
      move(sample.document.paths, '/things/{id}', '/things/{name}');
      sample.parameter('id').name = 'name';
    },
    breaks: 'getThing: path parameter id is no longer read',
    back: 'getThing: path parameter name is no longer read',
  },
  {
    title: 'an optional parameter is gone',
    change: ({ get }) => get.parameters?.splice(1, 1),
    breaks: 'getThing: query parameter sort is no longer read',
  },
  {
    title: 'a required parameter is new',
    change: ({ get }) =>
      get.parameters?.push({ name: 'page', in: 'query', required: true, schema: { type: 'string' } }),
    breaks: 'getThing: query parameter page is new and has to be sent',
    back: 'getThing: query parameter page is no longer read',
  },
  {
    title: 'a parameter has to be sent',
    change: (sample) => {
      sample.parameter('sort').required = true;
    },
    breaks: 'getThing: query parameter sort has to be sent now',
  },
  {
    title: 'a parameter takes certain values only',
    change: (sample) => {
      sample.parameter('X-Trace').schema = { type: 'string', enum: ['on'] };
    },
    breaks: 'getThing: header parameter x-trace takes only on now',
  },
  {
    title: 'a parameter has another default',
    change: (sample) => {
      sample.parameter('sort').schema = { type: 'string', default: 'age' };
    },
    breaks: 'getThing: query parameter sort the default was "name", it is "age" now',
    back: 'getThing: query parameter sort the default was "age", it is "name" now',
  },
  {
    title: 'a header is written in another case',
    change: (sample) => {
      sample.parameter('X-Trace').name = 'x-trace';
    },
  },
  {
    title: 'a body has to be sent',
    change: ({ post }) => Object.assign(post.requestBody ?? {}, { required: true }),
    breaks: 'makeThing: request body has to be sent now',
  },
  {
    title: 'a body is no longer read',
    change: ({ post }) => delete post.requestBody,
    breaks: 'makeThing: request body is no longer read',
  },
  {
    title: 'a body may no longer be of a media type',
    change: ({ post }) => delete post.requestBody?.content['text/plain'],
    breaks: 'makeThing: request body text/plain is no longer taken',
  },
  {
    title: 'a success is gone',
    change: ({ post }) => move(post.responses, '201', '202'),
    breaks: 'makeThing: answer 202 is a new success',
    back: 'makeThing: answer 201 is a new success',
  },
  {
    title: 'a further success is possible',
    change: ({ post }) => Object.assign(post.responses, { 202: { description: 'Later.' } }),
    breaks: 'makeThing: answer 202 is a new success',
    back: 'makeThing: answer 202 is no longer given',
  },
  {
    title: 'a further error is possible',
    change: ({ post }) => Object.assign(post.responses, { 409: { description: 'There is one.' } }),
  },
  {
    title: 'an answer that has not changed may be left out',
    change: ({ get }) => Object.assign(get.responses, { 304: { description: 'Unchanged.' } }),
    back: 'getThing: answer 304 is no longer given',
  },
  {
    title: 'an answer has no body any more',
    change: (sample) => delete sample.answer('post', 201).content,
    breaks: 'makeThing: answer 201 has no body now',
    back: 'makeThing: answer 201 has a body now, where none was',
  },
  {
    title: 'an answer is no longer to be had in a media type',
    change: (sample) => delete sample.answer('get', 200).content?.['text/csv'],
    breaks: 'getThing: answer 200 text/csv is no longer answered',
  },
  {
    title: 'a header of an answer is gone',
    change: (sample) => delete sample.answer('get', 200).headers?.ETag,
    breaks: 'getThing: answer 200 header etag is no longer there',
  },
  {
    title: 'a header of an answer may be missing',
    change: (sample) => Object.assign(sample.answer('get', 200).headers?.ETag ?? {}, { required: false }),
    breaks: 'getThing: answer 200 header etag may be missing now',
  },
  {
    title: 'a header of an answer has another form',
    change: (sample) =>
      Object.assign(sample.answer('get', 200).headers?.ETag ?? {}, { schema: { type: 'integer' } }),
    breaks: 'getThing: answer 200 header etag may be a value of type integer now',
    back: 'getThing: answer 200 header etag may be a value of type string now',
  },
  {
    title: 'an operation needs a credential',
    change: ({ get }) => {
      get.security = [{ key: [] }];
    },
    breaks: 'getThing: security no credential is no longer enough',
  },
  {
    title: 'an operation needs two credentials',
    change: ({ post }) => {
      post.security = [{ key: [], bearer: [] }];
    },
    breaks: 'makeThing: security key is no longer enough',
  },
  {
    title: 'an operation takes another credential as well',
    change: ({ post }) => {
      post.security = [{ key: [] }, { bearer: [] }];
    },
    back: 'makeThing: security bearer is no longer enough',
  },
  {
    title: 'a credential is sent in another header',
    change: ({ document }) => Object.assign(schemes(document).key ?? {}, { name: 'X-Other-Key' }),
    breaks: 'makeThing: security the credential key is another one now',
    back: 'makeThing: security the credential key is another one now',
  },
  {
    title: 'a webhook is gone',
    change: ({ document }) => delete document.webhooks?.['thing.made'],
    breaks: 'onThingMade: POST thing.made is no longer there',
  },
  {
    title: 'a header of a webhook is gone',
    change: ({ webhook }) => webhook.parameters?.splice(0, 1),
    breaks: 'onThingMade: header parameter x-signature is no longer there',
  },
  {
    title: 'a header of a webhook may be missing',
    change: ({ webhook }) => Object.assign(webhook.parameters?.[0] ?? {}, { required: false }),
    breaks: 'onThingMade: header parameter x-signature may be missing now',
  },
  {
    title: 'a header of a webhook is new',
    change: ({ webhook }) =>
      webhook.parameters?.push({ name: 'X-Event', in: 'header', required: true, schema: { type: 'string' } }),
    back: 'onThingMade: header parameter x-event is no longer there',
  },
  {
    title: 'a receiver may no longer answer in a way',
    change: ({ webhook }) => delete webhook.responses['5XX'],
    breaks: 'onThingMade: answer 5XX of the receiver is no longer understood',
  },
];
