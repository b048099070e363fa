/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** What conditions look at. A date is sent as text (RFC 3339). */
export type AttributeValue =
  | null
  | boolean
  | number
  | string
  | Date
  | readonly AttributeValue[]
  | { readonly [name: string]: AttributeValue | undefined };

export interface Attributes {
  readonly [name: string]: AttributeValue | undefined;
}

/** Whom flags are evaluated for, as an object: convenient where it is asked for once. */
export interface ContextLike {
  /** Decides the buckets: the id of the user, or of whatever flags are for. */
  readonly key: string;
  readonly attributes?: Attributes;
}

/** Whom flags are evaluated for. Made once per user or request, it serves any number of evaluations: these take a fraction of the time then. */
export class Context implements ContextLike {
  /** @throws TypeError when the attributes are not JSON. */
  constructor(key: string, attributes?: Attributes);
  readonly key: string;
  readonly attributes: Attributes;
}

/** Why an answer is what it is. */
export type Reason =
  | 'NOT_FOUND'
  | 'DISABLED'
  | 'MUTUALLY_EXCLUDED'
  | 'PREREQUISITE_FAILED'
  | 'TARGETED'
  | 'ROLLOUT'
  | 'VARIANT'
  | 'FALLTHROUGH'
  | 'ERROR';

/** Why a flag is not answered for as it should be. With any of these but `GENERAL` the fallback is the answer. */
export type FlagError =
  /** No environment is held yet. */
  | 'PROVIDER_NOT_READY'
  /** The environment has no such flag. */
  | 'FLAG_NOT_FOUND'
  /** The value is not of the type that was asked for. */
  | 'TYPE_MISMATCH'
  /** The context is not one, or its attributes are not JSON. */
  | 'INVALID_CONTEXT'
  /** What is stored for the flag cannot be evaluated: the flag's own default is the answer. */
  | 'GENERAL';

/** An answer, and why it was given. */
export interface Detail<T> {
  readonly value: T;
  readonly reason: Reason;
  /** The variant served, if the flag has variants and one of them was. */
  readonly variant?: string;
  /** The version of the environment that answered; absent while none is held. */
  readonly version?: number;
  readonly error?: FlagError;
}

export type State =
  /** Nothing is held: every answer is the fallback. */
  | 'not-ready'
  /** What is held is what the edge serves, as far as one can know. */
  | 'ready'
  /** What is held answers, and may be old. */
  | 'stale'
  /** The edge refuses the API key. What is held goes on answering; the edge is asked again after minutes. */
  | 'refused';

/** How a client is doing. */
export interface Status {
  readonly state: State;
  /** Of what is stale: when the edge was last heard of. */
  readonly since?: Date;
  /** The version that answers; absent while nothing is held. */
  readonly version?: number;
  /** What last went wrong, for people. It stays when things are well again. */
  readonly lastError?: string;
}

/** Flags may answer differently now. */
export interface Change {
  /** The version that answers. */
  readonly version: number;
  /** The keys of the flags that were added, removed or changed, sorted. */
  readonly flags: readonly string[];
}

/** What listeners are told, by event. */
export interface Events {
  change: Change;
  /** The state, or what last went wrong, is another. */
  status: Status;
}

export interface Settings {
  /** The API key of a server, `srv_…`. */
  key: string;
  /** The address of an edge; it may have a path, under which the edge is. */
  url: string;
  /** Keeps what is held in this file, and starts from it at once, with or without network. Each environment needs its own. */
  localCopy?: string;
  /** Pins an environment, with `signingKeys`: nothing is used that is of another one. A UUID, as the API shows it. */
  environmentId?: string;
  /** Pins keys: nothing is used that none of them signed. Each is the `x` of a key that the control plane lists at `/.well-known/halyard/signing-keys`. */
  signingKeys?: readonly string[];
  /** For how many milliseconds a start waits for flags at most; 10,000. */
  startTimeout?: number;
  /** After how many milliseconds usage is reported, give or take a fifth; 60,000. */
  usageInterval?: number;
  /** After how many milliseconds a stream without a sign of life is opened again; 60,000. Edges give one every 15 s. */
  streamSilence?: number;
  /** The name of the application, for the logs of proxies; part of the `User-Agent`. */
  application?: string;
}

export type StartErrorCode =
  /** A setting cannot be used. */
  | 'SETTINGS'
  /** The edge refuses the API key. */
  | 'REFUSED'
  /** The edge gave no flags in time, and there is no local copy. */
  | 'TIMEOUT'
  /** There is no such file, or it is damaged. */
  | 'FILE';

/** Why there is no client. */
export class StartError extends Error {
  constructor(code: StartErrorCode, message: string);
  readonly code: StartErrorCode;
}

/**
 * Flags from memory, which follow an edge. Nothing that is asked waits, and nothing keeps the process alive but a promise of `start` or `close`. A client
 * that is forgotten ends, unless somebody listens to it.
 */
export class Client {
  private constructor();
  /**
   * Starts a client, and waits until there are flags to answer from: at once with a local copy. With `wait: false` it waits for none, and
   * answers with the fallbacks until there are some.
   * @throws StartError (the promise rejects); nothing goes on then.
   */
  static start(settings: Settings & { wait?: boolean }): Promise<Client>;
  /**
   * A client without network that answers from a file, as `localCopy` keeps it. Nothing is reported.
   * @throws StartError (the promise rejects) with the code `FILE`.
   */
  static fromFile(path: string): Promise<Client>;

  boolean(key: string, context: ContextLike, fallback: boolean): boolean;
  number(key: string, context: ContextLike, fallback: number): number;
  string(key: string, context: ContextLike, fallback: string): string;
  /** The value of any flag as JSON, which is yours to change. Its shape is not checked. */
  json<T extends Json>(key: string, context: ContextLike, fallback: T): T;
  booleanDetail(key: string, context: ContextLike, fallback: boolean): Detail<boolean>;
  numberDetail(key: string, context: ContextLike, fallback: number): Detail<number>;
  stringDetail(key: string, context: ContextLike, fallback: string): Detail<string>;
  jsonDetail<T extends Json>(key: string, context: ContextLike, fallback: T): Detail<T>;

  /** Tells that a variant of a flag was shown to a user; it is reported with the next usage. Up to 10,000 wait, of which the oldest give way. */
  track(flag: string, variant: string, user: string): void;
  /** How many calls of `track` are lost. */
  readonly tracksDropped: number;
  /** The keys of all flags, sorted; empty while nothing is held. */
  readonly flagKeys: string[];
  readonly status: Status;
  /** Calls `listener` at each event, until the function that is returned is called, or `close`. It does not keep the process alive. */
  on<E extends keyof Events>(event: E, listener: (told: Events[E]) => void): () => void;
  /** Ends what goes on, after a last report of what was counted if the edge takes it within five seconds. Answers are given as before. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
