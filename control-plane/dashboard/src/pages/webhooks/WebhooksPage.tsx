export { NotFoundPage as WebhooksPage } from '../../routes/broken';
