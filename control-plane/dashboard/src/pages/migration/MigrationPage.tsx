export { NotFoundPage as MigrationPage } from '../../routes/broken';
