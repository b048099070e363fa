import type {
  EvaluationContext,
  EvaluationDetails,
  FlagValue,
  Hook,
  HookContext,
  JsonValue,
  OpenFeatureEventEmitter,
  Provider,
  ResolutionDetails,
} from '@openfeature/server-sdk';
import type { Client, Settings } from './index.js';

/**
 * OpenFeature's hook that tells an edge, every ten seconds, which defaults the code has, with how many answers, and how many of these had another
 * value: what would change in an outage. It works with any provider, and never delays or fails an evaluation.
 */
export class DefaultsHook implements Hook {
  constructor(from: {
    key: string;
    url: string;
    /** What the service calls itself; at most 64 characters. */
    service?: string;
    /** Milliseconds between two reports. */
    interval?: number;
  });
  after(context: Readonly<HookContext>, details: EvaluationDetails<FlagValue>): void;
  /** Tells what was counted since the last report. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * OpenFeature's provider, with its events: ready, stale, error, configuration changed. Of a client, which stays yours to close, or of settings: then
 * it starts one, goes on trying where no edge answers in time, and closes it in the end.
 */
export class HalyardProvider implements Provider {
  constructor(from: Client | Settings);
  readonly metadata: { readonly name: 'halyard' };
  readonly runsOn: 'server';
  readonly events: OpenFeatureEventEmitter;
  /** Absent until the client of a provider with settings is started. */
  readonly client: Client | undefined;
  initialize(context?: EvaluationContext): Promise<void>;
  onClose(): Promise<void>;
  resolveBooleanEvaluation(
    key: string,
    fallback: boolean,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<boolean>>;
  resolveStringEvaluation(
    key: string,
    fallback: string,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<string>>;
  resolveNumberEvaluation(
    key: string,
    fallback: number,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<number>>;
  resolveObjectEvaluation<T extends JsonValue>(
    key: string,
    fallback: T,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<T>>;
}
