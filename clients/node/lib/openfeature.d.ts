import type {
  EvaluationContext,
  JsonValue,
  OpenFeatureEventEmitter,
  Provider,
  ResolutionDetails,
} from '@openfeature/server-sdk';
import type { Client, Settings } from './index.js';

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
