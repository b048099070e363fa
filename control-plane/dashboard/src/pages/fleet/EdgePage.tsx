export { NotFoundPage as EdgePage } from '../../routes/broken';
