export { NotFoundPage as FleetPage } from '../../routes/broken';
