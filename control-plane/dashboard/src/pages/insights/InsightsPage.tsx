export { NotFoundPage as InsightsPage } from '../../routes/broken';
