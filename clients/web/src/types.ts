/** A value as JSON has it. What the client hands out is frozen. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** For whom flags are evaluated. */
export interface Context {
  /** Decides the buckets: the id of the user, or of whatever flags are for; `anonymous` when absent. */
  key?: string;
  /** What conditions look at. */
  attributes?: { readonly [name: string]: Json };
}

/** Why the default is served in place of a value. */
export type FlagError =
  /** The project of the API key has no such flag. */
  | 'FLAG_NOT_FOUND'
  /** The flag has another type than was asked for. */
  | 'TYPE_MISMATCH'
  /** Nothing was fetched for this context yet, and nothing is stored. */
  | 'NOT_READY'
  /** The service could not evaluate the flag. */
  | 'GENERAL';

/** A value, and where it comes from. */
export interface Detail<T> {
  readonly value: T;
  /** As OpenFeature has them: `TARGETING_MATCH`, `SPLIT`, `DEFAULT`, `DISABLED`; `ERROR` with `error`, `UNKNOWN` with `environment`. */
  readonly reason: string;
  /** The name of the variant that was drawn, else `on`, `off` or `default`. Absent with `error` or `environment`. */
  readonly variant?: string;
  readonly error?: FlagError;
}

export type Status =
  /** Nothing was fetched for this context yet, and nothing is stored. */
  | 'pending'
  /** What was stored for this context is served, and being asked for again. */
  | 'stored'
  /** The latest request succeeded. */
  | 'current'
  /** The latest request failed; what there is is served, and it is tried again. */
  | 'stale'
  /** The service refuses the API key or the context; it is asked again every few minutes. */
  | 'refused'
  | 'closed';

export type ProblemCode =
  /** The API key or the context is refused: 401, 403 or another status that repeating does not change. */
  | 'REFUSED'
  /** 429: nothing is sent before `Retry-After`. */
  | 'RATE_LIMITED'
  /** 5xx. */
  | 'UNAVAILABLE'
  /** No answer, or none in time. */
  | 'UNREACHABLE'
  /** The answer cannot be read: it is not served. */
  | 'DAMAGED_ANSWER'
  /** The stored copy is not what was stored: it is not served. */
  | 'DAMAGED_STORAGE'
  /** The storage cannot be read or written: the client works without. */
  | 'STORAGE';

/** What listeners are told, by event. */
export interface Events {
  /** The keys of the flags whose value, reason or variant is another, or that are new or gone. */
  change: readonly string[];
  status: Status;
  /** Each kind of problem once, until all is well again. */
  error: Problem;
}

/** Something that went wrong without stopping the client. */
export class Problem extends Error {
  override readonly name = 'HalyardProblem';

  constructor(
    readonly code: ProblemCode,
    message: string,
    /** Of the answer. */
    readonly status?: number,
    /** Milliseconds for which the service wants no request. */
    readonly wait?: number,
  ) {
    super(message);
  }
}

/** The part of `localStorage` that is used. */
export type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Milliseconds. All but `timeout` of the options can stay as they are. */
export interface Timing {
  /** After which a request is given up; 10 s. */
  request: number;
  /** Without a sign of life, after which a stream is given up; 60 s. Edges give one every 15 s. */
  silence: number;
  /** The first pause after a failure, doubled up to `longest`, half of it at random; 1 s. */
  shortest: number;
  /** 60 s. */
  longest: number;
  /** Between requests that changes cause; 500. */
  gap: number;
  /** Between requests without a stream; 60 s. */
  poll: number;
  /** Until a refused key is tried again; 5 min. */
  refused: number;
  /** Until a page that is not shown closes its stream; 30 s. */
  hidden: number;
}

export interface Options {
  /** A client key, `cli_…`: anyone who opens the page can read it. */
  key: string;
  /** The address of an edge or of the control plane. */
  url: string;
  /**
   * The slug of the key's environment. With it, flags come from `/v1/client/{environment}/flags` and `/v1/stream/{environment}`: smaller answers,
   * and the key in headers alone, but neither reasons nor variants. Without it they come from the paths of OFREP, which have both.
   */
  environment?: string;
  context?: Context;
  /** Where the latest flags of a few contexts are kept; by default `localStorage`, where there is one. `null`: nowhere. */
  storage?: Kept | null;
  /** For how many milliseconds `ready` and `identify` wait at most; 3000. */
  timeout?: number;
  /** `false`: changes are not told but asked for every `timing.poll`. */
  stream?: boolean;
  timing?: Partial<Timing>;
  /** In place of the global one. */
  fetch?: typeof fetch;
}

export interface Client {
  readonly status: Status;
  /** Waits until there are flags, stored ones included, the first request has failed, or `timeout` is over. Never rejects. */
  ready(): Promise<Status>;
  boolean(key: string, fallback: boolean): boolean;
  string(key: string, fallback: string): string;
  number(key: string, fallback: number): number;
  /** An object or an array, whichever `fallback` is. */
  json<T extends object | null>(key: string, fallback: T): T;
  /** The value of a flag of the type that `fallback` has, and where it comes from. */
  detail(key: string, fallback: boolean): Detail<boolean>;
  detail(key: string, fallback: string): Detail<string>;
  detail(key: string, fallback: number): Detail<number>;
  detail<T extends object | null>(key: string, fallback: T): Detail<T>;
  /** The value of every flag that has one. */
  all(): Record<string, Json>;
  /** Calls `listener` at each event, until the function that is returned is called. */
  on<E extends keyof Events>(event: E, listener: (told: Events[E]) => void): () => void;
  /**
   * Goes on for another context. What the one before had is served until the answer for this one is there, and never once the promise has
   * resolved: where there is no answer in time, there are defaults. All promises of overlapping calls resolve with the last one.
   */
  identify(context: Context): Promise<Status>;
  /** Reports that a variant was shown to the present context; by default the one of `detail`. Resolves to whether it was recorded. */
  track(key: string, variant?: string): Promise<boolean>;
  /** Ends all requests. What was fetched is served on. */
  close(): void;
}
