export { NotFoundPage as MemberPage } from '../../routes/broken';
