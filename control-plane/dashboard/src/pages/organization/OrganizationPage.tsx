export { NotFoundPage as OrganizationPage } from '../../routes/broken';
