export { NotFoundPage as ComparePage } from '../../routes/broken';
