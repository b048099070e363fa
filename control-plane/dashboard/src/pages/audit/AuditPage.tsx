export { NotFoundPage as AuditPage } from '../../routes/broken';
