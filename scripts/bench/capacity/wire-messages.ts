import { mongo } from 'mongoose';

/** The parts of a message of MongoDB's wire protocol that are needed to count it. */
export interface WireMessage {
  id: number;
  /** In an answer, the id of the message that it answers. */
  answers: number;
  bytes: number;
  /** More answers follow that nobody asks for, as to a streaming `hello`. */
  moreToCome: boolean;
  /** In a command, its name and its collection, such as `find intents`, or the name alone. */
  command: string;
}

const headBytes = 16;
const opMsg = 2_013;
const moreToComeFlag = 2;
/** Flags of OP_MSG, and the kind of its first section. */
const beforeBody = headBytes + 5;
const longest = 48_000_000;

/** Splits a byte stream into messages; an incomplete rest waits for the next part. */
export function createMessageReader(onMessage: (message: WireMessage) => void): (part: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (part) => {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    while (rest.length >= headBytes) {
      const bytes = rest.readInt32LE(0);
      if (bytes < headBytes || bytes > longest) throw new Error(`no message of MongoDB has ${bytes} bytes`);
      if (rest.length < bytes) return;
      onMessage(readMessage(rest.subarray(0, bytes)));
      rest = rest.subarray(bytes);
    }
  };
}

function readMessage(message: Buffer): WireMessage {
  const isMsg = message.readInt32LE(12) === opMsg;
  return {
    id: message.readInt32LE(4),
    answers: message.readInt32LE(8),
    bytes: message.length,
    moreToCome: isMsg && (message.readInt32LE(headBytes) & moreToComeFlag) !== 0,
    // The first message of a connection has an older form.
    command: isMsg ? commandOf(message) : 'hello',
  };
}

/** The first section of a command that the driver sends is its document, whose first member names it. */
function commandOf(message: Buffer): string {
  const end = beforeBody + message.readInt32LE(beforeBody);
  const body = mongo.BSON.deserialize(message.subarray(beforeBody, end), { promoteBuffers: true });
  const [name = '', value] = Object.entries(body)[0] ?? [];
  const collection = name === 'getMore' ? body.collection : value;
  return typeof collection === 'string' ? `${name} ${collection}` : name;
}
