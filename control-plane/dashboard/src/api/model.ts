/** The words of the API document for one flag and what it is in an environment. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type Flag = Schemas['Flag'];
export type FlagType = Schemas['FlagType'];
export type FlagState = Schemas['FlagState'];
export type FlagStateOrNone = Schemas['FlagStateOrNone'];
export type Environment = Schemas['Environment'];
export type Segment = Schemas['Segment'];
export type Rule = Schemas['TargetingRule'];
export type Condition = Schemas['Condition'];
export type Variant = Schemas['Variant'];
export type MatchType = Schemas['MatchType'];

/** The body of the PUT of a state. */
export type StateDraft = Omit<FlagState, 'id' | 'updated_at'>;
