export { NotFoundPage as ScimPage } from '../../routes/broken';
