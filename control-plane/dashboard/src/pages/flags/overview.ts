/** The words of the API document for a page of flags and what they are in each environment. */
import type { operations } from '../../api/schema';

type Operation = operations['getFlagOverview'];
type Query = NonNullable<Operation['parameters']['query']>;

export type Overview = Operation['responses'][200]['content']['application/json'];
export type OverviewFlag = Overview['data'][number];
export type OverviewState = OverviewFlag['states'][string];
export type OverviewEnvironment = Overview['environments'][number];

export type StateFilter = 'on' | 'off' | 'partial' | 'scheduled';
export type OverviewSort = 'key' | 'name' | 'created_at' | 'updated_at' | 'last_evaluated_at';

/** The document has text where the service takes one of a few words. */
export type OverviewQuery = Omit<Query, 'state' | 'sort' | 'order' | 'stale'> & {
  state?: StateFilter;
  stale?: 'true' | 'false';
  sort?: OverviewSort;
  order?: 'asc' | 'desc';
};
