export { NotFoundPage as ApprovalPage } from '../../routes/broken';
