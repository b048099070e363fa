declare module "@openfeature/server-sdk" {
  export type JsonValue = boolean | number | string | null | JsonValue[] | { [key: string]: JsonValue };
  export type EvaluationContext = { targetingKey?: string; [key: string]: unknown };
  export type EvaluationDetails<T> = { flagKey: string; value: T; errorMessage?: string };
  export type FlagEvaluationOptions = { hookHints?: Record<string, unknown> };
  type Asked<T, R> = (
    key: string,
    fallback: T,
    context?: EvaluationContext,
    options?: FlagEvaluationOptions,
  ) => Promise<R>;
  export interface Client {
    getBooleanValue: Asked<boolean, boolean>;
    getBooleanDetails: Asked<boolean, EvaluationDetails<boolean>>;
    getStringValue: Asked<string, string>;
    getStringDetails: Asked<string, EvaluationDetails<string>>;
    getNumberValue: Asked<number, number>;
    getNumberDetails: Asked<number, EvaluationDetails<number>>;
    getObjectValue: Asked<JsonValue, JsonValue>;
    getObjectDetails: Asked<JsonValue, EvaluationDetails<JsonValue>>;
  }
  export const OpenFeature: {
    getClient(context?: EvaluationContext): Client;
    getClient(domain: string, context?: EvaluationContext): Client;
  };
}
