export { NotFoundPage as TeamPage } from '../../routes/broken';
