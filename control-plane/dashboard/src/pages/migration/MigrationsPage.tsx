export { NotFoundPage as MigrationsPage } from '../../routes/broken';
